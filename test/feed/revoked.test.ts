/** Keys, tokens and sessions that end during a stream or a wait: no later change is delivered. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identify } from '../../src/accounts/identity/identity.service.ts';
import { createValidityChecks } from '../../src/accounts/identity/validity.ts';
import { login } from '../../src/accounts/session/session.service.ts';
import { changeConnection, cursorAt, endOfLog } from '../../src/feed/feed.service.ts';
import type { Sql } from '../../src/infra/postgres/db.ts';
import { anonymous, type Call } from '../../src/kernel/call.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { eventsFrom } from './events.ts';
import { clientOf, follow } from './sockets.ts';

let world: World;
let editor: TestUser;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  [editor, admin] = await Promise.all([world.make.user(), world.make.sysadmin()]);
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor' } });
});
afterAll(() => world.end());

/** Readable by members of the organization only, so visitors never see it. */
const makePrivate = () =>
  world.result('package_create', { name: `private-${world.id()}`, owner_org: 'office', private: true }, { as: admin });
const nobody = () => world.app.callAs(anonymous('192.0.2.1'));
const end = async (): Promise<string> => cursorAt(await endOfLog(nobody()));

async function mutate(field: string, input: object, selection: string): Promise<any> {
  const query = `mutation ($input: ${field[0]!.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${selection} errors { message } } }`;
  const { body } = await world.graph(query, { input }, { as: editor });
  if (body.errors || body.data[field].errors.length > 0) throw new Error(`${field}: ${JSON.stringify(body)}`);
  return body.data[field];
}

/** A token of the editor, with functions that end it. */
async function newToken() {
  const selection = 'created { secret token { id databaseId } }';
  const { created } = await mutate('createToken', { name: world.id(), scope: 'READ' }, selection);
  const { id, databaseId } = created.token;
  return {
    secret: created.secret as string,
    revoke: () => mutate('revokeToken', { id }, 'revokedId'),
    expire: async () => {
      const expired = `UPDATE api_token SET expires_at = now() - interval '1 second' WHERE id = $1`;
      expect((await world.database.pool.query(expired, [databaseId])).rowCount).toBe(1);
    },
  };
}

const SUBSCRIPTION = 'subscription ($after: String) { changes(after: $after, types: [DATASET]) { name } }';

/** A stream of one API: the texts of its events and of its end. */
interface Told {
  next(): Promise<string>;
  /** The remaining events and the end. */
  rest(): Promise<string>;
  close(): unknown;
}
const DOORS: Record<string, (secret: string, after: string) => Promise<Told>> = {
  async '/changes'(secret, after) {
    return told(await eventsFrom(`${world.base}/changes?types=DATASET&after=${after}`, { authorization: secret }));
  },
  async '/graphql as an event stream'(secret, after) {
    const asked = new URLSearchParams({ query: SUBSCRIPTION, variables: JSON.stringify({ after }) });
    return told(await eventsFrom(`${world.base}/graphql?${asked}`, { authorization: secret }));
  },
  async '/graphql over WebSocket'(secret, after) {
    const client = clientOf(world.base, { connectionParams: { authorization: secret } });
    const stream = follow(client, { query: SUBSCRIPTION, variables: { after } });
    return {
      next: async () => JSON.stringify(await stream.take(1)),
      rest: async () => JSON.stringify([await stream.take(100), await stream.ended]),
      close: () => client.dispose(),
    };
  },
};
function told({ take, close }: Awaited<ReturnType<typeof eventsFrom>>): Told {
  return {
    next: async () => JSON.stringify(await take(1)),
    rest: async () => JSON.stringify(await take(100)),
    close,
  };
}

/** Opens a stream, receives an event, ends the credential, and expects the stream to end without further events. */
async function tellsNothingMore(door: string, secret: string, finish: () => Promise<unknown>): Promise<void> {
  const stream = await DOORS[door]!(secret, await end());
  try {
    const { name } = await makePrivate();
    expect(await stream.next()).toContain(name);
    await finish();
    const unseen = await makePrivate();
    const rest = await stream.rest();
    expect(rest).toContain('NOT_AUTHORIZED');
    expect(rest).not.toContain(unseen.name);
    expect(rest).not.toContain(unseen.id);
  } finally {
    stream.close();
  }
}

describe.each(Object.keys(DOORS))('%s', (door) => {
  it('sends nothing more once its token is revoked', async () => {
    const { secret, revoke } = await newToken();
    await tellsNothingMore(door, secret, revoke);
  });

  it('sends nothing more once its token has expired', async () => {
    const { secret, expire } = await newToken();
    await tellsNothingMore(door, secret, expire);
  });
});

it('/changes sends nothing more once the session ends or the key is replaced', async () => {
  const password = 'correct horse';
  const { id, name } = await world.result(
    'user_create',
    { name: `user-${world.id()}`, email: 'user@example.org', password },
    { as: admin },
  );
  await world.result('organization_member_create', { id: 'office', username: name, role: 'editor' }, { as: admin });
  const { secret } = await login(nobody(), { login: name, password });
  await tellsNothingMore('/changes', secret, () =>
    world.graph('mutation { logout(input: {}) { errors { message } } }', {}, { headers: { authorization: secret } }),
  );
  const { apikey } = await world.result('user_generate_apikey', { id }, { as: admin });
  await tellsNothingMore('/changes', apikey, () => world.result('user_generate_apikey', { id }, { as: admin }));
});

it('a wait returns no change that is made after its token was revoked', async () => {
  const isCredentialValid = createValidityChecks(nobody);
  const wait = async (secret: string, meanwhile: () => Promise<unknown>) => {
    const after = await end();
    const actor = await identify(nobody(), secret);
    const call = world.app.callAs(actor);
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const following: Call['process']['feed']['follow'] = async (asked) => {
      const blocks = await call.process.feed.follow(asked);
      begin();
      return blocks;
    };
    const waiting = changeConnection(
      {
        ...call,
        request: { ...call.request, isCredentialValid: isCredentialValid(secret) },
        process: { ...call.process, feed: { ...call.process.feed, follow: following } },
      },
      { first: 10, after, types: ['DATASET'], wait: 50 },
    );
    await begun;
    await meanwhile();
    const { name } = await makePrivate();
    const { nodes, pageInfo } = (await waiting) as any;
    return { name, names: nodes.map((node: any) => node.name), isSame: pageInfo.endCursor === after };
  };
  const { secret, revoke } = await newToken();
  const before = await wait(secret, async () => {});
  expect(before.names).toEqual([before.name]);
  expect(await wait(secret, revoke)).toMatchObject({ names: [], isSame: true });
});

it('checks of several credentials at the same time use one statement', async () => {
  const tokens = await Promise.all([newToken(), newToken(), newToken()]);
  const seen: unknown[] = [];
  const sql: Sql = {
    rows(statement, values) {
      seen.push(statement.name);
      return nobody().sql.rows(statement, values);
    },
  };
  const standsBy = createValidityChecks(() => ({ ...nobody(), sql }));
  const questions = [...tokens.map(({ secret }) => secret), tokens[0]!.secret, editor.key, 'cgt_nobodys', ''].map(
    standsBy,
  );
  const ask = () => Promise.all(questions.map((question) => question()));
  expect(await ask()).toEqual([true, true, true, true, true, false, false]);
  expect(seen).toEqual(['identity_standing']);
  await tokens[0]!.revoke();
  await tokens[1]!.expire();
  expect(await ask()).toEqual([false, false, true, false, true, false, false]);
  expect(seen).toHaveLength(2);
  await world.result('user_delete', { id: editor.name }, { as: admin });
  expect(await ask()).toEqual([false, false, false, false, false, false, false]);
});
