/**
 * Sends malformed requests to every address of the legacy interfaces. The server never fails, always answers readable JSON (or an error
 * page for unknown addresses), and a refused request writes no rows.
 */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Row } from '../../facades/legacy/define.ts';
import { rows } from '../../facades/legacy/rows/index.ts';
import { exchange } from '../helpers/exchange.ts';
import { BODIES, HOSTILE, QUERIES } from '../helpers/hostile.ts';
import { type Known, makeKnown } from '../helpers/known.ts';
import type { TestUser } from '../helpers/make.ts';
import { changed, rowCounter } from '../helpers/rows.ts';
import { createWorld, type World } from '../helpers/world.ts';

const agent = new http.Agent({ keepAlive: true });

let world: World;
let admin: TestUser;
let known: Known;
let other: string;
let related: string;
let rowCounts: ReturnType<typeof rowCounter>;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  rowCounts = rowCounter(world);
  await refill();
});
afterAll(async () => {
  agent.destroy();
  await world.end();
});

/** Creates the objects that addresses name. Successful writes may have deleted them. */
async function refill(): Promise<void> {
  known = await makeKnown(world);
  other = (await world.make.dataset()).id;
  const item = { title: 'T', type: 'idea', dataset_id: known.dataset };
  related = (await world.result('related_create', item, { as: admin })).id;
}

/** Address parts, sent unchanged. The last ones are not valid URL encoding. */
const PARTS = [
  '%00',
  'a%00b',
  '%20',
  '%F0%9F%98%80',
  '..%2F..%2Fetc',
  "'%20OR%201%3D1--",
  '%3Cscript%3E',
  '__proto__',
  'x'.repeat(3_000),
  '%22%5C%25_',
  '%ED%A0%80',
  '%zz',
];

/** Keys of the dictionaries of these registers. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  dataset: [
    ...['id', 'name', 'title', 'state', 'private', 'owner_org', 'license_id', 'tags', 'groups', 'extras', 'resources'],
    ...['download_url', 'relationships_as_subject', 'relationships', 'notes_rendered', 'type'],
  ],
  group: ['id', 'name', 'title', 'state', 'type', 'packages', 'groups', 'users', 'extras', 'image_url'],
  relationships: ['object', 'type', 'comment'],
  rating: ['package', 'rating'],
  related: ['id', 'title', 'type', 'dataset_id', 'url', 'featured'],
  search: [
    ...['q', 'qjson', 'limit', 'offset', 'order_by', 'all_fields', 'tags', 'title', 'filter_by_openness', 'sort', 'fq'],
    ...['rows', 'start', 'url', 'hash', 'format', 'since_time', 'since_id', 'a:b', '__proto__', 'capacity'],
  ],
  util: ['title', 'name', 'tag', 'slug', 'type', 'incomplete', 'format', 'q', 'limit'],
};

function keysOf({ path }: Row): readonly string[] {
  const [, section, register, , more] = path.split('/') as [string, string, string, string?, string?];
  if (section !== 'rest') return KEYS[section] ?? [];
  return more ? KEYS.relationships! : (KEYS[register] ?? []);
}

const knownOf = (path: string): string =>
  path.startsWith('/rest/revision')
    ? 'nope'
    : path.startsWith('/rest/related')
      ? related
      : (known[/^\/rest\/(dataset|group|tag|user)/.exec(path)?.[1] as keyof Known] ?? 'x');

const addressOf = (row: Row, id = knownOf(row.path), second = other): string =>
  `/api/2${row.path.replace(':id', id).replace(':other', second)}`;

interface Attempt {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly as?: TestUser;
  readonly type?: string;
}

/** Sends one request. @throws Error if the server failed or the response is not readable */
async function send({ method, path, body, as, type = 'application/json' }: Attempt): Promise<number> {
  const headers = { ...(body !== undefined && { 'content-type': type }), ...(as && { authorization: as.key }) };
  const { status, text, contentType } = await exchange(world.base + path, { agent, method, headers, body });
  if (status >= 500) throw new Error(`${status} ${text}`);
  if (contentType.includes('json')) JSON.parse(text);
  else if (status < 400 && text !== '' && !text.startsWith('/**/')) throw new Error(`no JSON: ${status} ${text}`);
  return status;
}

/** Sends all requests sequentially. @throws Error that lists the failures with their requests */
async function attempt(attempts: readonly Attempt[]): Promise<void> {
  const failures: string[] = [];
  let before = await rowCounts();
  for (const tried of attempts) {
    const found = await send(tried).catch((failure: Error) => failure);
    const after = await rowCounts();
    const told = `${tried.what}: ${tried.method} ${tried.path.slice(0, 300)}\n  ${String(tried.body ?? '').slice(0, 300)}`;
    if (found instanceof Error) failures.push(`${told}\n  → ${found.message.slice(0, 700)}`);
    else if ((found >= 400 || tried.method === 'GET') && after !== before)
      failures.push(`${told}\n  → ${found}, but rows were written: ${changed(before, after)}`);
    before = after;
  }
  const atEnd = await rowCounts(true);
  if (atEnd !== before) failures.push(`one of these has written rows: ${changed(before, atEnd)}`);
  if (failures.length > 0) throw new Error(`${failures.length} failed\n\n${failures.slice(0, 10).join('\n\n')}`);
}

const hostile = Object.entries(HOSTILE);
const sent = (row: Row): string => ({ FORM: 'POST', QUERY: 'POST' })[row.method as string] ?? row.method;

/** Excludes most relationship types, because all of them have the same addresses. */
const walked = rows.filter(
  ({ path }) => !/(_of|_on|_to|_from|_derivation)\b/.test(path) || path.includes('depends_on'),
);

describe.each(walked.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', (_name, row) => {
  const takesBody = row.method !== 'GET' && row.method !== 'DELETE';
  const both = (tried: Attempt): Attempt[] => [tried, { ...tried, as: admin }];

  it('answers malformed addresses and queries', async () => {
    const method = takesBody ? 'POST' : row.method;
    const body = takesBody ? '{}' : undefined;
    await attempt([
      ...(row.path.includes(':id') ? PARTS : []).flatMap((part) =>
        both({ what: 'an address', method, body, path: addressOf(row, part) }),
      ),
      ...(row.path.includes(':other') ? PARTS : []).flatMap((part) =>
        both({ what: 'an address', method, body, path: addressOf(row, undefined, part) }),
      ),
      ...QUERIES.flatMap((query) => both({ what: 'a query', method: 'GET', path: `${addressOf(row)}?${query}` })),
    ]);
  });

  it('answers hostile values in its parameters', async () => {
    if (['GET', 'FORM', 'QUERY'].includes(row.method))
      await attempt(
        keysOf(row).flatMap((key, at) =>
          hostile
            .filter((_, turn) => (turn + at) % 3 === 0)
            .flatMap(([what, value]) => {
              const path = `${addressOf(row)}?${new URLSearchParams({ [key]: value.slice(0, 3_000) })}`;
              return [{ what: `${what} in ${key}`, method: 'GET', path, as: admin }];
            }),
        ),
      );
    if (!takesBody) return;
    if (row.method !== 'FORM' && row.method !== 'QUERY') await refill();
    const [method, path] = [sent(row), addressOf(row)];
    const form = 'application/x-www-form-urlencoded';
    const keys = keysOf(row);
    const all = hostile.map(([what, value]) => ({
      what,
      body: `{${keys.map((key) => `${JSON.stringify(key)}:${value}`).join(',')}}`,
    }));
    const single = keys.flatMap((key, at) =>
      hostile
        .filter((_, turn) => (turn + at) % 3 === 0)
        .map(([what, value]) => ({ what: `${what} in ${key}`, body: `{${JSON.stringify(key)}:${value}}` })),
    );
    await attempt([
      ...Object.entries(BODIES).flatMap(([what, body]) => both({ what, method, path, body })),
      ...both({ what: 'a form', method, path, body: 'id=%zz&=&%00=%ff', type: form }),
      ...both({ what: 'a file', method, path, body: '--x', type: 'multipart/form-data; boundary=x' }),
      ...all.flatMap((tried) => both({ ...tried, method, path })),
      ...single.map((tried) => ({ ...tried, method, path, as: admin })),
    ]);
  });
});

it('leaves all lists readable', async () => {
  for (const path of ['/rest/dataset', '/rest/group', '/rest/tag', '/rest/revision', '/rest/related', '/tag_counts'])
    expect([path, await send({ what: 'at the end', method: 'GET', path: `/api/2${path}`, as: admin })]).toEqual([
      path,
      200,
    ]);
});
