// What the three roles share: settings, a Kafka client, a signal to stop, and a small HTTP server.
import {createServer} from 'node:http';
import {join} from 'node:path';
import {Kafka, logLevel} from 'kafkajs';

const {env} = process;
export const EVENTS = env.EVENTS ?? 'm8-suhu-kejadian';
export const SUMMARIES = env.SUMMARIES ?? 'm8-suhu-rangkuman';
export const GROUP = env.GROUP;
export const state = (name) => join(env.STATE ?? '.', name);

export const kafka = new Kafka({
  brokers: env.BOOTSTRAP.split(','),
  logLevel: logLevel.WARN,
  connectionTimeout: 2000,
  requestTimeout: 5000,
  enforceRequestTimeout: true,
  retry: {initialRetryTime: 50, maxRetryTime: 1000, retries: 1_000_000},
});
export const producerOptions = {idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false};
export const consumerOptions = {groupId: GROUP, sessionTimeout: 6000, heartbeatInterval: 500, rebalanceTimeout: 10000, maxWaitTimeInMs: 200, allowAutoTopicCreation: false};

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Calls stop once when the role is asked to end; whatever hangs does not keep it alive. */
export function untilStopped(stop) {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, async () => {
      setTimeout(() => process.exit(0), 5000).unref();
      await stop().catch((err) => console.error(err));
      process.exit(0);
    });
  }
}

/** Serves {'METHOD /path': async (body) => [status, object or HTML]} on PORT. */
export function serve(routes) {
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const route = routes[`${request.method} ${request.url}`];
    let [status, answer] = [404, {error: 'no such page'}];
    try {
      if (route) [status, answer] = await route(Buffer.concat(chunks));
    } catch (err) {
      [status, answer] = [503, {error: err.message}];
    }
    const html = typeof answer === 'string';
    response.writeHead(status, {'Content-Type': html ? 'text/html; charset=utf-8' : 'application/json'});
    response.end(html ? answer : JSON.stringify(answer));
  }).listen(Number(env.PORT), '127.0.0.1');
}
