// Readings as the document fixes them: what is valid, and what is wrong with what is not.
import {parseExact} from './exact.js';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DEVICE = /^sensor-[0-9]{2}$/;
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?Z$/;

export class Invalid extends Error {
  constructor(errors) {
    super(errors.map(({field, why}) => `${field || 'record'}: ${why}`).join('; '));
    this.errors = errors; // {field: JSON Pointer, why}
  }
}

/** Reads a record strictly: names occur once, numbers keep their digits (see exact.js). */
export function parse(raw) {
  let record;
  try {
    record = parseExact(new TextDecoder('utf-8', {fatal: true}).decode(raw));
  } catch (err) {
    throw new Invalid([{field: '', why: err.message}]);
  }
  const errors = [...wrong(record)];
  if (errors.length) throw new Invalid(errors);
  return record;
}

const isObject = (v) => v instanceof Map;
const isText = (v, pattern) => typeof v === 'string' && pattern.test(v);

function* wrong(record) {
  if (!isObject(record)) return yield {field: '', why: 'no object'};
  if (!isText(record.get('event_id'), ID)) yield {field: '/event_id', why: 'no id in lower case'};
  if (record.get('event_type') !== 'sensor.suhu.terbaca') yield {field: '/event_type', why: 'not sensor.suhu.terbaca'};
  if (moment(record.get('occurred_at')) === undefined) yield {field: '/occurred_at', why: 'no time in UTC'};
  const data = record.get('data');
  if (!isObject(data)) return yield {field: '/data', why: 'no object'};
  if (!isText(data.get('id_perangkat'), DEVICE)) yield {field: '/data/id_perangkat', why: 'no sensor-NN'};
  if (!data.get('lantai')?.between?.(1, 10) || !data.get('lantai').isInteger()) yield {field: '/data/lantai', why: 'no integer from 1 to 10'};
  if (!data.get('suhu_c')?.between?.(-40, 60)) yield {field: '/data/suhu_c', why: 'no number from -40 to 60'};
}

/** Milliseconds since 1970, undefined for what is no time in UTC. Date.parse alone would take 30 February for 2 March. */
export function moment(text) {
  const parts = typeof text === 'string' && TIME.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  const at = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  at.setUTCFullYear(year, month - 1, day);
  const same = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return same ? at.getTime() + Math.floor(Number(parts[7] ?? 0) * 1000) : undefined;
}

export const HOUR = 3600_000;

/** The hour that a moment lies in, as the document writes it. */
export const hourOf = (at) => new Date(Math.floor(at / HOUR) * HOUR).toISOString().replace('.000Z', 'Z');
