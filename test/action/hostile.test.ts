/**
 * Fuzz test of every action: a malformed request never causes a 500 or a hang, and a refused write leaves every table unchanged.
 * A failure prints the request and the response.
 */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actions } from '../../facades/action/actions.ts';
import type { Param } from '../../facades/action/params.ts';
import { exchange } from '../helpers/exchange.ts';
import { BODIES, HOSTILE, QUERIES } from '../helpers/hostile.ts';
import { type Known, kindOf, makeKnown } from '../helpers/known.ts';
import type { TestUser } from '../helpers/make.ts';
import { changed, rowCounter } from '../helpers/rows.ts';
import { createWorld, type World } from '../helpers/world.ts';

const MEBIBYTE = 2 ** 20;
/** Other content types, each with a body. */
const TYPES: readonly (readonly [string, string])[] = [
  ['application/x-www-form-urlencoded', 'id=%zz&=&%00=%ff'],
  ['multipart/form-data', 'x'],
  ['multipart/form-data; boundary=x', '--x'],
  ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\ny\r\n--x--'],
  ['text/xml', '<a/>'],
  ['', '{}'],
];
const agent = new http.Agent({ keepAlive: true });

let world: World;
let admin: TestUser;
let rowCounts: ReturnType<typeof rowCounter>;
/** Existing objects, for parameters that name one. */
let known: Known | undefined;

beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  rowCounts = rowCounter(world);
  admin = await world.make.sysadmin();
  await world.result('get_site_user', {}, { as: admin }); // the only read that creates its object
});
afterAll(async () => {
  agent.destroy();
  await world.end();
});

/** Recreates the known objects, because successful writes may have deleted them. */
const refill = async (): Promise<void> => {
  known = await makeKnown(world);
};

/** A request with its description. `body` is usually JSON text. */
interface Attempt {
  readonly name: string;
  readonly what: string;
  readonly as: TestUser | null;
  readonly query?: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
}

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly success: boolean;
}

/** Sends one request. @throws Error if the server failed or took too long. */
async function send({ name, query, body, as, type = 'application/json' }: Attempt): Promise<Seen> {
  const path = `/api/3/action/${name}${query === undefined ? '' : `?${query}`}`;
  const headers = { 'content-type': type, ...(as && { authorization: as.key }) };
  const method = body === undefined ? 'GET' : 'POST';
  const { status, text } = await exchange(world.base + path, { agent, method, headers, body });
  if (status >= 500 || text.includes('Internal Server Error')) throw new Error(`${status} ${text}`);
  const isJson = /^[{["]/.test(text);
  if (!isJson && !text.startsWith('/**/')) throw new Error(`no JSON: ${status} ${text}`);
  return { status, text, success: isJson && (JSON.parse(text) as { success?: unknown }).success === true };
}

/**
 * Sends all requests, writes one after another. Returns every failure with its request: server errors, and refused writes or reads
 * that changed the number of rows.
 */
async function failuresOf(kind: 'read' | 'write', attempts: readonly Attempt[]): Promise<string[]> {
  const failures: string[] = [];
  let before = await rowCounts();
  const one = async (tried: Attempt): Promise<void> => {
    const found = await send(tried).catch((failure: Error) => failure);
    const after = kind === 'write' ? await rowCounts() : before;
    if (found instanceof Error) failures.push(told(tried, found.message));
    else if (!found.success && after !== before)
      failures.push(told(tried, `refused, but rows were written: ${changed(before, after)}\n${found.text}`));
    before = after;
  };
  if (kind === 'write') for (const tried of attempts) await one(tried);
  else for (let at = 0; at < attempts.length; at += 8) await Promise.all(attempts.slice(at, at + 8).map(one));
  const atEnd = await rowCounts(true);
  if (atEnd !== before)
    failures.push(`${kind === 'read' ? 'a read has' : 'one of these has'} written rows: ${changed(before, atEnd)}`);
  return failures;
}

async function attempt(kind: 'read' | 'write', attempts: readonly Attempt[]): Promise<void> {
  none(await failuresOf(kind, attempts));
}

function none(failures: readonly string[]): void {
  if (failures.length > 0) throw new Error(`${failures.length} failed\n\n${failures.slice(0, 10).join('\n\n')}`);
}

const told = ({ name, what, as, query, body }: Attempt, answer: string): string =>
  `${what}: ${body === undefined ? 'GET' : 'POST'} ${name}${query === undefined ? '' : `?${query.slice(0, 200)}`} as ${as ? 'sysadmin' : 'anonymous'}\n  ${String(body ?? '').slice(0, 400)}\n  → ${answer.slice(0, 700)}`;

/** A plausible value of the parameter, as JSON text. */
function plausible(action: string, param: string): string {
  const kind = kindOf(action, param);
  if (kind) return JSON.stringify(known![kind]);
  const fixed: Record<string, unknown> = {
    name: `hostile-${world.id()}`,
    object_type: 'package',
    role: 'member',
    capacity: 'public',
    email: 'a@example.com',
    password: 'long enough',
    url: 'http://example.com',
    query: 'name:a',
  };
  return JSON.stringify(fixed[param] ?? 'x');
}

/** A body with plausible values for the required parameters, and `value` for one parameter. */
function withOne(action: string, params: Record<string, Param<unknown>>, name: string, value: string): string {
  const others = Object.entries(params).filter(
    ([other, { required }]) =>
      other !== name && (required || ['id', 'name', 'package_id', 'object', 'object_type'].includes(other)),
  );
  return `{${[...others.map(([other]) => `${JSON.stringify(other)}:${plausible(action, other)}`), `${JSON.stringify(name)}:${value}`].join(',')}}`;
}

const isScalar = ({ type }: Param<unknown>): boolean => /^(string|int|bool|float)$/.test(type);

/** The hostile value alone, then inside lists, for parameters that accept a list. */
const FORMS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `[${value}]`,
  (value) => `[{"id":${value}}]`,
  (value) => `[{"name":${value}}]`,
  (value) => `[{"key":"k","value":${value}},{"key":${value},"value":"v"}]`,
  (value) => `[{"name":"a-name","capacity":${value}}]`,
  (value) =>
    `[{"url":"http://example.com","name":${value},"size":${value},"position":${value},"last_modified":${value},"state":${value},"extras":${value}}]`,
];

const hostile = Object.entries(HOSTILE);
/** Counter shared by all actions, so that each action tests a different part of the values. */
let turn = 0;

describe.each(Object.entries(actions))('%s', (name, row) => {
  const params = Object.entries(row.params as Record<string, Param<unknown>>);
  // A sysadmin passes every access check and so reaches the most code. Anonymous callers repeat only a third of the requests.
  const both = (tried: Omit<Attempt, 'name' | 'as'>): Attempt[] =>
    (turn = (turn + 1) % 3) === 0
      ? [null, admin].map((as) => ({ name, as, ...tried }))
      : [{ name, as: admin, ...tried }];

  it('answers unusual bodies and content types', async () => {
    await attempt(row.kind, [
      ...Object.entries(BODIES).flatMap(([what, body]) => both({ what, body })),
      ...TYPES.flatMap(([type, body]) => both({ what: `as ${type}`, type, body })),
    ]);
  });

  it('answers unusual query strings', async () => {
    await attempt(
      'read',
      QUERIES.flatMap((query) => both({ what: 'a query', query })),
    );
  });

  it('answers a hostile value in all parameters at once', async () => {
    await attempt(
      row.kind,
      hostile.flatMap(([what, value]) =>
        both({ what, body: `{${params.map(([param]) => `${JSON.stringify(param)}:${value}`).join(',')}}` }),
      ),
    );
  });

  // Each parameter is tested with a third of the values, and inside lists with a sixth in each form, with a different start each time.
  // Over all parameters, every value occurs many times.
  it('answers a hostile value in one parameter, with plausible other parameters', async () => {
    const failures: string[] = [];
    if (row.kind === 'write' || !known) await refill();
    for (const [key, param] of params) {
      const tried = FORMS.slice(0, isScalar(param) ? 1 : FORMS.length).flatMap((form, nesting) => {
        turn += 1;
        return hostile
          .filter((_, at) => (at + turn) % (nesting === 0 ? 3 : 6) === 0)
          .map(([what, value]) => ({ what, value: form(value) }));
      });
      failures.push(
        ...(await failuresOf(
          row.kind,
          tried.map(({ what, value }) => ({
            name,
            as: admin,
            what: `${what} in ${key}`,
            body: withOne(name, row.params, key, value),
          })),
        )),
      );
    }
    none(failures);
  });
});

describe('large bodies', () => {
  const GREAT = [
    'package_create',
    'package_show',
    'group_create',
    'user_create',
    'tag_create',
    'resource_create',
    'status_show',
  ];

  it.each(GREAT)('%s answers a string just below and just above the limit of 10 MiB', async (name) => {
    const sizes = [10 * MEBIBYTE - 100, 10 * MEBIBYTE + 1];
    const body = (key: string, size: number) => `{"${key}":"${'x'.repeat(size - key.length - 7)}"}`;
    await attempt(
      'write',
      sizes.flatMap((size) =>
        ['name', 'notes', 'id'].map((key) => ({
          name,
          as: admin,
          what: `${size} bytes in ${key}`,
          body: body(key, size),
        })),
      ),
    );
  });

  const lists = Object.entries(actions).flatMap(([name, row]) =>
    Object.entries(row.params as Record<string, Param<unknown>>)
      .filter(([, param]) => !isScalar(param))
      .map(([key]) => [name, key] as const),
  );

  it.each(lists)('%s answers 10,000 items in %s', async (name, key) => {
    const { kind, params } = actions[name]!;
    if (kind === 'write' || !known) await refill();
    const many = (item: (n: number) => string) => `[${Array.from({ length: 10_000 }, (_, n) => item(n)).join(',')}]`;
    await attempt(
      kind,
      [many((n) => `"x${n}"`), many((n) => `{"name":"x${n}","id":"x${n}","key":"k${n}","value":"v","url":"u"}`)].map(
        (value) => ({ name, as: admin, what: `10,000 of ${key}`, body: withOne(name, params, key, value) }),
      ),
    );
  });
});

it('leaves every list readable', async () => {
  for (const [name, query] of [
    ['package_list'],
    ['current_package_list_with_resources'],
    ['organization_list', 'all_fields=true'],
    ['group_list', 'all_fields=true'],
    ['user_list'],
    ['tag_list', 'all_fields=true'],
  ]) {
    expect((await send({ name: name!, what: 'at the end', as: admin, query: query ?? '' })).success).toBe(true);
  }
});
