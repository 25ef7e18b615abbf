/** Clients over WebSocket: the one of graphql-ws, and a raw socket. */
import { type Client, createClient, type SubscribePayload } from 'graphql-ws';
import { type ClientOptions, WebSocket } from 'ws';

const PROTOCOL = 'graphql-transport-ws';

/** A queue of received items. */
function inbox<Item>() {
  const items: Item[] = [];
  let isOver = false;
  let wake = () => {};
  return {
    add(item: Item) {
      items.push(item);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    /** The next items, fewer if the queue has ended. */
    async take(count: number): Promise<Item[]> {
      while (items.length < count && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      return items.splice(0, count);
    },
  };
}

/** The client of graphql-ws, with headers that a browser cannot send. */
export function clientOf(
  base: string,
  { headers, ...options }: Partial<Parameters<typeof createClient>[0]> & { headers?: Record<string, string> } = {},
): Client {
  class Socket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: headers ?? {} });
    }
  }
  return createClient({
    url: `${base.replace('http', 'ws')}/graphql`,
    webSocketImpl: Socket,
    retryAttempts: 0,
    ...options,
  });
}

/** Starts an operation of a client, and gives access to its results and its end. */
export function follow(client: Client, payload: SubscribePayload) {
  const results = inbox<any>();
  let finish!: (end: unknown) => void;
  const ended = new Promise<unknown>((resolve) => (finish = resolve));
  const end = (how: unknown) => {
    results.end();
    finish(how);
  };
  const stop = client.subscribe(payload, {
    next: results.add,
    error: end,
    complete: () => end('complete'),
  });
  return { take: results.take, ended, stop };
}

/** A socket that sends messages unchanged and unchecked. */
export async function rawSocket(base: string, options: ClientOptions & { subprotocol?: string | null } = {}) {
  const { subprotocol = PROTOCOL, ...rest } = options;
  const socket = new WebSocket(
    `${base.replace('http', 'ws')}/graphql`,
    subprotocol === null ? [] : [subprotocol],
    rest,
  );
  const messages = inbox<any>();
  socket.on('message', (data) => messages.add(JSON.parse(String(data))));
  socket.on('error', () => {});
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => {
      messages.end();
      resolve({ code, reason: String(reason) });
    }),
  );
  const status = await new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.once('close', () => resolve(0));
  });
  const send = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  return {
    socket,
    status,
    closed,
    take: messages.take,
    send,
    async init(payload?: Record<string, unknown>) {
      send({ type: 'connection_init', payload });
      return messages.take(1);
    },
  };
}

/** Names of the changed objects in the results, or their errors. */
export const namesOf = (results: any[]): unknown[] => results.map(({ data, errors }) => data?.changes.name ?? errors);
