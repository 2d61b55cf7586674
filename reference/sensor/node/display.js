// Shows the last summary of each device and hour. The table is rebuilt from the topic at each start.
import {SUMMARIES, GROUP, consumerOptions, kafka, serve, untilStopped} from './service.js';

const COLUMNS = ['id_perangkat', 'jam', 'jumlah', 'suhu_min', 'suhu_maks', 'suhu_rata'];
const shown = new Map(); // device + ' ' + hour -> data of the last record
const consumer = kafka.consumer(consumerOptions);
const admin = kafka.admin();
let committed = new Map(); // partition -> committed offset

function show({value}) {
  try {
    const {data} = JSON.parse(value);
    shown.set(`${data.id_perangkat} ${data.jam}`, data);
  } catch (err) {
    console.error('display: no summary:', err.message);
  }
}

async function eachBatch({batch, resolveOffset, heartbeat, isStale}) {
  batch.messages.forEach(show);
  resolveOffset(batch.lastOffset());
  await heartbeat();
  const next = BigInt(batch.lastOffset()) + 1n;
  if (isStale() || next <= (committed.get(batch.partition) ?? -1n)) return; // while the table is rebuilt, the group does not go back
  await consumer.commitOffsets([{topic: batch.topic, partition: batch.partition, offset: next.toString()}]);
  committed.set(batch.partition, next);
}

/** Reads the topic from its start, whatever is committed. */
async function rewind() {
  const [{partitions}] = await admin.fetchOffsets({groupId: GROUP, topics: [SUMMARIES]});
  committed = new Map(partitions.map(({partition, offset}) => [partition, BigInt(offset)]));
  for (const {partition} of partitions) consumer.seek({topic: SUMMARIES, partition, offset: '0'});
}

const rows = async () => [200, {rows: [...shown.keys()].sort().map((key) => shown.get(key))}];
const escaped = (v) => String(v).replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
const line = (values, tag) => `<tr>${values.map((v) => `<${tag}>${escaped(v ?? '')}</${tag}>`).join('')}</tr>`;
const page = async () => {
  const [, {rows: all}] = await rows();
  return [200, '<!doctype html><html lang="id"><meta http-equiv="refresh" content="2"><title>Suhu</title><table>' +
    `${line(COLUMNS, 'th')}${all.map((row) => line(COLUMNS.map((c) => row[c]), 'td')).join('')}</table></html>`];
};

untilStopped(() => consumer.disconnect());
consumer.on('consumer.crash', ({payload}) => payload.restart || process.exit(1));
serve({'GET /healthz': async () => [200, {}], 'GET /rows': rows, 'GET /': page});
await admin.connect();
await consumer.connect();
await consumer.subscribe({topics: [SUMMARIES], fromBeginning: true});
await consumer.run({autoCommit: false, eachBatchAutoResolve: false, eachBatch});
await rewind();
