/** Limits of bodies, lists of ids and batches at their edge: the limit is accepted, one more is refused before any read or write. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getNamedType, isInputObjectType } from 'graphql';
import { schema } from '../../src/graph/schema.ts';
import type { TestUser } from '../helpers/make.ts';
import { type Answered, createWorld, type World } from '../helpers/world.ts';

const BODY = 20_000;
const MANY = 100;

let world: World;
let admin: TestUser;
let ids: string[];
beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.json_body': BODY }, { counts: true });
  admin = await world.make.sysadmin();
  const made = await world.make.dataset();
  const { body } = await world.graph(`{ dataset(name: "${made.name}") { id } }`);
  ids = Array.from({ length: MANY + 1 }, () => body.data.dataset.id);
});
afterAll(() => world.end());

/** An answer, and the statements sent for it. */
async function counted(ask: () => Promise<Answered>): Promise<{ answer: Answered; statements: string[] }> {
  let answer: Answered | undefined;
  const statements = await world.statementsOf(async () => {
    answer = await ask();
  });
  return { answer: answer!, statements };
}

describe('a body', () => {
  const send = (length: number, headers: Record<string, string> = {}) => {
    const query = JSON.stringify({ query: '{ site { siteId } }' });
    return world.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: query + ' '.repeat(length - query.length),
    });
  };

  it('is read at the limit, and refused one byte above it', async () => {
    expect((await send(BODY)).body).toMatchObject({ data: { site: { siteId: 'default' } } });
    const { answer, statements } = await counted(() => send(BODY + 1, { authorization: admin.key }));
    expect({ status: answer.status, code: answer.body.errors[0].extensions.code, statements }).toEqual({
      status: 413,
      code: 'LIMIT',
      statements: [],
    });
    expect(answer.body.errors[0].message).toContain(`${BODY}`);
  });
});

describe('ids', () => {
  it.each<[string, string, (id: string) => unknown]>([
    ['nodes', 'query ($asked: [ID!]!) { it: nodes(ids: $asked) { __typename } }', (id: string) => id],
    [
      '_entities',
      'query ($asked: [_Any!]!) { it: _entities(representations: $asked) { __typename } }',
      (id: string) => ({ __typename: 'Dataset', id }),
    ],
  ])('of %s are limited to 100', async (_field, query, of) => {
    const asked = ids.map(of);
    const allowed = await world.graph(query, { asked: asked.slice(1) });
    expect(allowed.body.errors).toBeUndefined();
    expect(allowed.body.data.it).toEqual(asked.slice(1).map(() => ({ __typename: 'Dataset' })));
    const { answer, statements } = await counted(() => world.graph(query, { asked }));
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'LIMIT' } }]);
    expect(answer.body.errors[0].message).toContain(`At most ${MANY}`);
    expect(statements).toEqual([]);
  });
});

describe('a batch', () => {
  const batches = Object.values(schema.getMutationType()!.getFields()).filter(({ args }) => {
    const input = getNamedType(args[0]!.type);
    return isInputObjectType(input) && 'items' in input.getFields();
  });
  /** Items that are refused separately, which shows that each was processed. */
  const ITEMS: Record<string, unknown> = {
    createDatasets: { name: 'NOT A NAME' },
    replaceDatasets: { dataset: 'nowhere' },
    updateDatasets: { dataset: 'nowhere' },
    deleteDatasets: { dataset: 'nowhere' },
    createResources: { dataset: 'nowhere', resource: { url: 'u' } },
    updateResources: { resourceId: 'nowhere', resource: {} },
    deleteResources: { resourceId: 'nowhere' },
  };

  it('is tested for every batch mutation', () => {
    expect(batches.map(({ name }) => name).sort()).toEqual(Object.keys(ITEMS).sort());
  });

  it.each(Object.keys(ITEMS))('of %s is limited to 100 items', async (name) => {
    const type = String(schema.getMutationType()!.getFields()[name]!.args[0]!.type);
    const query = `mutation ($input: ${type}) { it: ${name}(input: $input) { results { errors { code } } errors { code message path } } }`;
    const send = (count: number) =>
      world.graph(query, { input: { items: Array.from({ length: count }, () => ITEMS[name]) } }, { as: admin });
    const { body } = await send(MANY);
    expect(body.data.it.errors).toEqual([]);
    expect(body.data.it.results).toHaveLength(MANY);
    for (const { errors } of body.data.it.results) expect(errors).toHaveLength(1);
    const { answer, statements } = await counted(() => send(MANY + 1));
    expect(answer.body.data.it).toEqual({
      results: null,
      errors: [{ code: 'LIMIT', message: `At most ${MANY} items (got ${MANY + 1})`, path: ['items'] }],
    });
    // The only statement looks up the caller.
    expect(statements.length).toBeLessThanOrEqual(1);
  });
});
