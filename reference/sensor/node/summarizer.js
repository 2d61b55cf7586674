// Folds readings into hourly summaries: journal, then publish, then commit, each safe to be done twice. Members share one journal,
// so that state follows a partition to its next owner and a late member changes nothing.
import {createHash} from 'node:crypto';
import {Decimal} from './exact.js';
import {HOUR, Invalid, hourOf, moment, parse} from './events.js';
import {Journal} from './journal.js';
import {EVENTS, SUMMARIES, consumerOptions, kafka, producerOptions, state, untilStopped} from './service.js';

const [GRACE, SILENCE, WINDOW, CLAIM] = [5 * 60_000, 2 * 60_000, 7 * 24 * HOUR, 10_000]; // ms
const seen = new Map(); // event_id -> {device, at}
const devices = new Map(); // device -> {newest, heard}
const hours = new Map(); // device + ' ' + hour -> {device, hour, ends, count, low, high, total, published, place, claimed}
const me = `${process.pid}.${Date.now()}`;

const journal = new Journal(state('summaries.jsonl'), ({at, events = [], poison, published = [], claims = []}) => {
  for (const [id, device, time, celsius] of events) take(id, device, time, Decimal.parse(celsius), at);
  for (const [key, count, offset] of published) {
    const hour = hours.get(key);
    // The record with the highest offset is the last one: if an older count stands there, the hour is published again.
    if (offset > hour.place) Object.assign(hour, {published: count, place: offset});
    hour.claimed = undefined;
  }
  for (const [key, owner] of claims) hours.get(key).claimed = {owner, until: at + CLAIM};
  if (poison) console.error('summarizer: left out:', poison);
});

function take(id, device, time, celsius, now) {
  if (seen.has(id)) return;
  seen.set(id, {device, at: time});
  const {newest} = devices.get(device) ?? {newest: -Infinity};
  devices.set(device, {newest: Math.max(newest, time), heard: now});
  const hour = hourOf(time);
  const key = `${device} ${hour}`;
  const row = hours.get(key) ?? {
    device, hour, ends: moment(hour) + HOUR, count: 0, low: celsius, high: celsius, total: new Decimal(0n, 0), published: 0, place: -1,
  };
  row.count++;
  if (celsius.less(row.low)) row.low = celsius;
  if (row.high.less(celsius)) row.high = celsius;
  row.total = row.total.plus(celsius);
  row.claimed = undefined;
  hours.set(key, row);
  if (seen.size % 10_000 === 0) prune();
}

function prune() {
  for (const [id, {device, at}] of seen) if (at < devices.get(device).newest - WINDOW) seen.delete(id);
}

/** Summaries that are due and that no other member publishes just now. */
function due(now) {
  return [...hours.values()].filter((row) => {
    const {newest, heard} = devices.get(row.device);
    const closed = newest >= row.ends + GRACE || heard <= now - SILENCE;
    const taken = row.claimed && row.claimed.owner !== me && row.claimed.until > now;
    return row.published !== row.count && closed && !taken;
  });
}

const keyOf = (row) => `${row.device} ${row.hour}`;

async function publish() {
  const now = Date.now();
  journal.refresh();
  const rows = due(now).map((row) => ({...row}));
  if (!rows.length) return;
  journal.append({at: now, claims: rows.map((row) => [keyOf(row), me])});
  const messages = rows.map((row) => ({key: row.device, value: summary(row)}));
  const [{baseOffset}] = await producer.send({topic: SUMMARIES, acks: -1, messages}); // one partition: offsets follow the order
  if (Number(baseOffset) < 0) throw new Error('sent twice: nobody says where'); // and so they are published again
  journal.append({at: now, published: rows.map((row, i) => [keyOf(row), row.count, Number(baseOffset) + i])});
}

/** The same set of events gives the same bytes. */
function summary({device, hour, count, low, high, total, ends}) {
  const digest = createHash('sha256').update(`${device}/${hour}`).digest('hex');
  const id = digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return `{"event_id":"${id}","event_type":"sensor.suhu.dirangkum","occurred_at":"${hourOf(ends)}","data":{"id_perangkat":"${device}",` +
    `"jam":"${hour}","jumlah":${count},"suhu_min":${low},"suhu_maks":${high},"suhu_rata":${total.over(count, 2)}}}`;
}

function read(message) {
  const record = parse(message.value ?? Buffer.alloc(0));
  const data = record.get('data');
  return [record.get('event_id'), data.get('id_perangkat'), moment(record.get('occurred_at')), data.get('suhu_c').toString()];
}

async function eachBatch({batch, resolveOffset, heartbeat, commitOffsetsIfNecessary, isStale}) {
  journal.refresh();
  const entry = {at: Date.now(), events: []};
  for (const message of batch.messages) {
    try {
      const event = read(message);
      if (!seen.has(event[0])) entry.events.push(event);
    } catch (err) {
      if (!(err instanceof Invalid)) throw err;
      entry.poison = `${batch.partition}/${message.offset}: ${err.message}`;
    }
  }
  if (entry.events.length || entry.poison) journal.append(entry);
  await publishing();
  if (isStale()) return;
  resolveOffset(batch.lastOffset());
  await heartbeat();
  await commitOffsetsIfNecessary({topics: [{topic: batch.topic, partitions: [{partition: batch.partition, offset: String(BigInt(batch.lastOffset()) + 1n)}]}]});
}

let turn = Promise.resolve();
/** One publication at a time in this process. */
function publishing() {
  turn = turn.catch(() => {}).then(publish);
  return turn;
}

const producer = kafka.producer(producerOptions);
const consumer = kafka.consumer(consumerOptions);
untilStopped(async () => {
  await consumer.disconnect();
  await producer.disconnect();
});
consumer.on('consumer.crash', ({payload}) => payload.restart || process.exit(1));
await producer.connect();
setInterval(() => publishing().catch((err) => console.error('summarizer: publish:', err.message)), 500);
await consumer.connect();
await consumer.subscribe({topics: [EVENTS], fromBeginning: true});
await consumer.run({autoCommit: false, eachBatchAutoResolve: false, eachBatch});
