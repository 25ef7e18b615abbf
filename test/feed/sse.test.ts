/** Subscriptions as event streams at /graphql, with the client of the package graphql-sse and with plain HTTP. */
import { describe, expect, it } from '@jest/globals';
import { type Client, createClient } from 'graphql-sse';
import { cursorOf } from '../../src/kernel/connection.ts';
import { until } from '../helpers/until.ts';
import { eventsFrom } from './events.ts';
import { type Office, withOffice } from './office.ts';

const START = cursorOf([0]);
const SUBSCRIPTION = `subscription ($after: String) { changes(after: $after, types: [DATASET]) { cursor name } }`;
const EVENTS = { accept: 'text/event-stream' };

let { world, editor, make } = {} as Office;
withOffice((office) => {
  ({ world, editor, make } = office);
});

const clientOf = (options: Partial<Parameters<typeof createClient>[0]> = {}): Client =>
  createClient({ url: `${world.base}/graphql`, retryAttempts: 0, ...options });
const address = (parameters: Record<string, string>) => `${world.base}/graphql?${new URLSearchParams(parameters)}`;
const post = (body: object | string, headers: Record<string, string> = {}) =>
  world.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...EVENTS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('graphql-sse', () => {
  it('receives the changes since a cursor, then new ones', async () => {
    await make('sse-1');
    const client = clientOf();
    const results = client.iterate<{ changes: { name: string; cursor: string } }>({
      query: SUBSCRIPTION,
      variables: { after: START },
    });
    const next = async () => (await results.next()).value?.data?.changes;
    const first = await next();
    expect(first).toEqual({ name: 'sse-1', cursor: expect.any(String) });
    await make('sse-2');
    expect((await next())?.name).toBe('sse-2');
    await results.return!();
    const after = client.iterate<any>({ query: SUBSCRIPTION, variables: { after: first!.cursor } });
    expect((await after.next()).value.data.changes.name).toBe('sse-2');
    await after.return!();
    client.dispose();
  });

  it('receives private changes with its key, and one result for a query or an invalid subscription', async () => {
    await make('sse-private', { private: true });
    const client = clientOf({ headers: { authorization: editor.key } });
    const seen: string[] = [];
    for await (const { data } of client.iterate<any>({ query: SUBSCRIPTION, variables: { after: START } })) {
      seen.push(data.changes.name);
      if (data.changes.name === 'sse-private') break;
    }
    expect(seen.at(-1)).toBe('sse-private');
    const answers: unknown[] = [];
    for await (const answer of client.iterate({ query: '{ viewer { name } }' })) answers.push(answer);
    for await (const answer of client.iterate({ query: 'subscription { nothing }' })) answers.push(answer);
    expect(answers).toMatchObject([
      { data: { viewer: { name: editor.name } } },
      { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    ]);
    client.dispose();
  });

  it('reconnects after its last cursor when the connection breaks', async () => {
    const variables = { after: START };
    let connected = 0;
    const client = clientOf({
      retryAttempts: 5,
      retry: async () => {},
      on: {
        connected() {
          connected += 1;
          if (connected === 2) void make('sse-4');
        },
      },
    });
    const names: string[] = [];
    await make('sse-3');
    await new Promise<void>((resolve, reject) => {
      client.subscribe<any>(
        { query: SUBSCRIPTION, variables },
        {
          next({ data }) {
            names.push(data.changes.name);
            variables.after = data.changes.cursor;
            if (data.changes.name === 'sse-3') world.app.server.closeAllConnections();
            if (data.changes.name === 'sse-4') resolve();
          },
          error: reject,
          complete: () => {},
        },
      );
    });
    expect(connected).toBe(2);
    expect(names).toEqual([...new Set(names)]);
    client.dispose();
  });
});

describe('plain HTTP', () => {
  it('gets a subscription by GET, as browsers do', async () => {
    const stream = await eventsFrom(address({ query: `subscription { changes(after: "${START}") { name } }` }));
    expect((await stream.take(1))[0]).toMatchObject({ event: 'next', data: expect.stringContaining('"changes"') });
    stream.close();
  });

  it('receives one result and a `complete` event for a query or an invalid subscription', async () => {
    const { headers, text } = await post({ query: '{ site { siteId } }' }, { 'x-request-id': 'mine' });
    expect([headers.get('content-type'), headers.get('x-request-id')]).toEqual([
      'text/event-stream; charset=utf-8',
      'mine',
    ]);
    expect(text).toMatch(
      /^:\n\nevent: next\ndata: \{"data":\{"site":\{"siteId":"default"\}\}.*\}\n\nevent: complete\ndata:\n\n$/,
    );
    for (const query of ['{', 'subscription { changes { nothing } }', 'subscription { changes(after: "x") { name } }'])
      expect((await post({ query })).text).toMatch(
        /^:\n\nevent: next\ndata: \{"errors":\[.+\n\nevent: complete\ndata:\n\n$/,
      );
  });

  it('receives a JSON error for an invalid request', async () => {
    const cases: [Promise<{ status: number; body: any }>, number][] = [
      [post('{'), 400],
      [post([]), 400],
      [post({ variables: {} }), 400],
      [post({ query: SUBSCRIPTION }, { 'content-type': 'text/plain' }), 415],
      [world.request('/graphql', { method: 'PUT', headers: EVENTS }), 405],
    ];
    for (const [asked, status] of cases) {
      const answer = await asked;
      expect([answer.status, answer.body.errors[0].message]).toEqual([status, expect.any(String)]);
    }
  });

  it('is refused a mutation by GET', async () => {
    const mutation = await world.request(
      `/graphql?${new URLSearchParams({ query: 'mutation { logout(input: {}) { ended } }' })}`,
      { headers: EVENTS },
    );
    expect(mutation.text).toContain('"errors"');
    expect(mutation.text).not.toContain('"data"');
  });

  it('is refused a subscription without `Accept: text/event-stream`', async () => {
    const { status, body } = await world.graph(SUBSCRIPTION);
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('text/event-stream')]);
  });

  it('receives 429 for streams beyond the limit of a caller until one is closed', async () => {
    const query = 'subscription { changes { name } }';
    const open = await Promise.all([1, 2, 3].map(() => eventsFrom(address({ query }))));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    const more = await post({ query });
    expect([more.status, more.headers.get('retry-after'), more.body.errors[0].extensions.code]).toEqual([
      429,
      '10',
      'LIMIT',
    ]);
    open[0]!.close();
    const again = async () => {
      const next = await eventsFrom(address({ query }));
      next.close();
      return next.status;
    };
    await until(async () => (await again()) === 200);
    for (const stream of open) stream.close();
  });
});
