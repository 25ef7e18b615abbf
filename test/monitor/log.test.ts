/** The log of a server process: one line per request, and the request id in every line and error. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({
    CATALOG__DATABASE_URL: database.url,
    CATALOG__LOG_LEVEL: 'info',
    CATALOG__LOG_REQUESTS: 'true',
    CATALOG__LOG_AREAS: 'jobs=warn',
    CATALOG__ACTION_API__STATUS: 'http',
  });
  await server.call('package_create', { name: 'rivers' });
});
afterAll(async () => {
  await server?.stop();
  await database.end();
});

async function statement(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(text);
  await client.end();
}

type Line = Record<string, unknown>;

const linesOf = (id: string): Line[] =>
  server
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ requestId }) => requestId === id);

interface Asked {
  readonly response: Response;
  readonly text: string;
  /** Log lines of the request. The last one is logged at its end. */
  readonly lines: Line[];
}

let count = 0;
async function ask(path: string, init: RequestInit = {}): Promise<Asked> {
  const id = `test-${++count}`;
  const headers = { ...(init.headers as Record<string, string>), 'x-request-id': id };
  const response = await fetch(server.base + path, { ...init, headers, redirect: 'manual' });
  const text = await response.text();
  await until(() => linesOf(id).some(({ msg }) => msg === 'request'));
  expect(response.headers.get('x-request-id')).toBe(id);
  return { response, text, lines: linesOf(id) };
}

const key = () => ({ authorization: server.key });
const post = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

it('logs one line per request', async () => {
  const shown = await ask('/api/3/action/package_show?id=rivers&secret=in-the-query', { headers: key() });
  expect(shown.lines).toEqual([
    {
      level: 30,
      time: expect.any(Number),
      area: 'http',
      requestId: expect.any(String),
      method: 'GET',
      route: '/api/action/:name',
      facade: 'action',
      operation: 'package_show',
      status: 200,
      ms: expect.any(Number),
      cost: expect.any(Number),
      userId: expect.stringMatching(/^[\da-f-]{36}$/),
      msg: 'request',
    },
  ]);
  const [line] = (await ask('/graphql', post({ query: 'query Titles { site { title } }', operationName: 'Titles' })))
    .lines;
  expect(line).toMatchObject({ route: '/graphql', facade: 'graphql', operation: 'Titles', status: 200, userId: null });
  expect(line!.cost).toBeGreaterThan(0);
  const long = { query: '{ site { title } }', operationName: 'a_'.repeat(200_000) };
  expect((await ask('/graphql', post(long))).lines).toMatchObject([{ operation: 'a_'.repeat(50) }]);
  expect((await ask('/dataset/rivers')).lines).toEqual([
    expect.objectContaining({ route: '/dataset/:name', facade: 'web', operation: null, status: 200 }),
  ]);
  expect((await ask('/nothing')).lines).toEqual([expect.objectContaining({ route: 'other', status: 404 })]);
  expect(server.said()).not.toContain('in-the-query');
});

it('generates an id if it is missing or unsafe', async () => {
  const unsafe = ['with space', 'x'.repeat(129), 'quote"', '<b>'];
  for (const id of [null, ...unsafe]) {
    const response = await fetch(`${server.base}/api/3/action/package_list`, {
      headers: id === null ? {} : { 'x-request-id': id },
    });
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  }
});

it('has the request id in every line of a failure, and in the response', async () => {
  await statement('ALTER TABLE dataset_document RENAME TO gone');
  try {
    const doors: readonly (readonly [path: string, status: number, init?: RequestInit])[] = [
      ['/api/3/action/package_show?id=rivers', 500],
      ['/graphql', 200, post({ query: '{ dataset(name: "rivers") { title } }' })],
      ['/dataset/rivers', 500],
      ['/dataset/rivers.ttl', 500],
      ['/api/2/rest/dataset/rivers', 500],
    ];
    for (const [path, status, init] of doors) {
      const { response, lines } = await ask(path, init);
      expect([path, response.status]).toEqual([path, status]);
      expect([path, lines.map(({ level }) => level)]).toEqual([path, [50, 30]]);
    }
    const { text, lines } = await ask('/graphql', post({ query: '{ dataset(name: "rivers") { title } }' }));
    expect(text).toContain(`Internal error, id ${lines[0]!.requestId}`);
  } finally {
    await statement('ALTER TABLE gone RENAME TO dataset_document');
  }
});

it('logs no key and no password', async () => {
  await ask('/api/3/action/package_show?id=rivers', { headers: key() });
  await ask('/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'login=admin&password=my-own-password',
  });
  await ask(
    '/graphql',
    post({ query: 'mutation { login(input: { login: "admin", password: "my-own-password" }) { errors { code } } }' }),
  );
  const lines = server
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n');
  expect(lines).not.toContain(server.key);
  expect(lines).not.toContain('my-own-password');
});
