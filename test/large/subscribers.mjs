/**
 * A process that runs half of the subscribers with the real clients of graphql-ws or graphql-sse, each on its own connection. A
 * disconnected subscriber reconnects to the same server or the other one, after its last cursor. Reports progress to the parent process.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const { transport, urls, count, events, after } = JSON.parse(process.argv[2]);
const QUERY =
  'subscription ($after: String) { changes(after: $after, types: [DATASET]) { cursor sequence operation objectId name } }';
/** Random delay between two connection attempts, in ms. */
const pause = () => sleep(100 + Math.random() * 900);

let received = 0;
let done = 0;
let reconnected = 0;

function subscriber(number) {
  const variables = { after };
  const places = new Float64Array(events);
  const self = { count: 0, places, faults: [] };
  let tries = 0;
  const url = () => urls[(number + (tries > 0 && number % 4 > 1 ? tries : 0)) % urls.length];
  const retry = () => {
    tries += 1;
    reconnected += 1;
    return pause();
  };
  const client =
    transport === 'websocket'
      ? createSocketClient({
          url: () => `${url().replace('http', 'ws')}/graphql`,
          webSocketImpl: WebSocket,
          retryAttempts: Number.POSITIVE_INFINITY,
          retryWait: retry,
          shouldRetry: () => true,
        })
      : createSseClient({ url: () => `${url()}/graphql`, retryAttempts: Number.POSITIVE_INFINITY, retry });
  client.subscribe(
    { query: QUERY, variables },
    {
      next(result) {
        const change = result.data?.changes;
        if (!change) return void self.faults.push(JSON.stringify(result));
        if (self.count > 0 && change.sequence <= places[self.count - 1])
          self.faults.push(`${change.sequence} behind ${places[self.count - 1]}`);
        if (self.count < events) places[self.count] = change.sequence;
        self.count += 1;
        received += 1;
        if (self.count === events) done += 1;
        variables.after = change.cursor;
      },
      error: (failure) => self.faults.push(failure?.message ?? JSON.stringify(failure)),
      complete: () => self.faults.push('complete'),
    },
  );
  return self;
}

const all = Array.from({ length: count }, (_, number) => subscriber(number));
const digest = ({ places }) => createHash('sha256').update(Buffer.from(places.buffer)).digest('hex');

process.on('message', (message) => {
  if (message === 'progress') process.send({ received, done, reconnected });
  if (message === 'report')
    process.send({
      digests: [...new Set(all.map(digest))],
      counts: [...new Set(all.map(({ count: seen }) => seen))],
      faults: all.flatMap(({ faults }) => faults).slice(0, 10),
    });
});
