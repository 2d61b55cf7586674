// Takes readings over HTTP, keeps them in an outbox that survives a crash, and sends them to the topic until it has them.
import {Invalid, parse} from './events.js';
import {Journal} from './journal.js';
import {EVENTS, kafka, producerOptions, serve, sleep, state, untilStopped} from './service.js';

const ANSWER_WITHIN = 1000; // ms to wait for the broker; the outbox is durable, so "recorded" is true without its answer
const outbox = new Map(); // event_id -> {id, device, value, sent, where}, in the order of acceptance
const unsent = new Set();
let wake = () => {};

const journal = new Journal(state('outbox.jsonl'), (entry) => {
  if (entry.value !== undefined) {
    if (!outbox.has(entry.id)) outbox.set(entry.id, entry), unsent.add(entry);
    return;
  }
  for (const [id, partition, offset] of entry.acked) {
    const one = outbox.get(id);
    one.where = {partition, offset};
    delete one.value;
    unsent.delete(one);
    one.acked?.();
  }
});

async function accept(body) {
  let record;
  try {
    record = parse(body);
  } catch (err) {
    if (err instanceof Invalid) return [422, {errors: err.errors}];
    throw err;
  }
  const id = record.get('event_id');
  if (!outbox.has(id)) journal.append({id, device: record.get('data').get('id_perangkat'), value: body.toString()});
  const one = outbox.get(id);
  wake();
  if (!one.where) {
    one.answered ??= new Promise((done) => (one.acked = done));
    await Promise.race([one.answered, sleep(ANSWER_WITHIN)]);
  }
  return [201, {event_id: id, ...one.where}];
}

const producer = kafka.producer(producerOptions);
let stopping = false;

/** One send at a time, in the order of acceptance: what fails is sent again before anything that came after it. */
async function sendAll() {
  await producer.connect();
  while (!stopping) {
    const batch = [...unsent].slice(0, 500);
    if (!batch.length) {
      await Promise.race([new Promise((done) => (wake = done)), sleep(100)]);
      continue;
    }
    try {
      const messages = batch.map(({device, value}) => ({key: device, value}));
      const ranges = await producer.send({topic: EVENTS, acks: -1, messages});
      journal.append({acked: positions(batch, ranges)});
    } catch (err) {
      console.error('recorder: send:', err.message);
      await sleep(100);
    }
  }
}

/** The client names one base offset a partition and not the partition of each record: a position is known where all went to one. */
function positions(batch, ranges) {
  const [first] = ranges;
  const known = ranges.length === 1 && Number(first.baseOffset) >= 0;
  return batch.map(({id}, i) => (known ? [id, first.partition, Number(first.baseOffset) + i] : [id]));
}

untilStopped(async () => {
  stopping = true;
  await producer.disconnect();
});
serve({'GET /healthz': async () => [200, {}], 'POST /events': accept});
await sendAll();
