/** Sort orders and filters of datasets equal a sort and a filter in JavaScript, in both directions, for each reader. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { compareText } from '../../src/kernel/text.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let boss: TestUser;
let member: TestUser;
/** Properties of a dataset, read from the database. */
interface Fact {
  readonly [key: string]: any;
  readonly name: string;
  readonly title: string;
  readonly created: number;
  readonly modified: number;
}
let facts: Fact[];

const TITLES = [
  'same',
  'same',
  'same',
  'Zebra',
  'zebra',
  'Ärger',
  'a',
  '😀 smile',
  '\uffee',
  '',
  'same',
  'b',
  'same',
  'zz',
];
const query = async (text: string, variables: Record<string, unknown> = {}, as: TestUser | null = null) => {
  const { body, text: answer } = await world.graph(text, variables, { as });
  if (body.errors) throw new Error(`${text}\n${JSON.stringify(variables)}\nanswered ${answer}`);
  return body.data;
};

beforeAll(async () => {
  world = await createWorld();
  boss = await world.make.sysadmin();
  member = await world.make.user({ name: 'member' });
  const call = (name: string, params: Record<string, unknown>) => world.result(name, params, { as: boss });
  const users = [{ name: 'member', capacity: 'editor' }];
  for (const name of ['lake', 'sea']) await call('organization_create', { name, ...(name === 'lake' && { users }) });
  await call('group_create', { name: 'fish' });
  for (const [n, title] of TITLES.entries()) {
    await call('package_create', {
      name: `d${String(n).padStart(2, '0')}`,
      title,
      owner_org: n % 3 === 0 ? 'lake' : 'sea',
      private: n % 4 === 1,
      state: n % 7 === 3 ? 'draft' : 'active',
      type: n % 5 === 0 ? 'harvest' : 'dataset',
      license_id: n % 2 === 0 ? 'cc-by' : 'odc-by',
      tags: n % 3 === 1 ? [{ name: 'wet' }] : [],
      groups: n % 6 === 0 ? [{ name: 'fish' }] : [],
    });
  }
  await call('package_delete', { id: 'd12' });
  // Equal times, and times that differ by microseconds.
  for (const table of ['dataset', 'dataset_document'])
    await world.database.sql.rows({
      text: `UPDATE ${table} SET created_at = timestamptz '2020-01-01Z' + (right(name, 2)::int / 3) * interval '1 microsecond',
        modified_at = timestamptz '2021-01-01Z' - (right(name, 2)::int % 5) * interval '1 day'`,
    });
  facts = await world.database.sql.rows<Fact>({
    text: `SELECT d.id, d.name, d.title, d.type, d.state, d.private, d.license_id AS license, o.name AS organization, extract(epoch FROM d.created_at)::float8 * 1e6 AS created,
      extract(epoch FROM d.modified_at)::float8 * 1e6 AS modified,
      ARRAY(SELECT g.name FROM dataset_group f JOIN group_account g ON g.id = f.group_id WHERE f.dataset_id = d.id) AS groups,
      ARRAY(SELECT t.name FROM dataset_tag u JOIN tag t ON t.id = u.tag_id WHERE u.dataset_id = d.id) AS tags
      FROM dataset d JOIN group_account o ON o.id = d.owner_organization_id`,
  });
});
afterAll(() => world.end());

type Direction = 'ASC' | 'DESC';
const ORDERS: Record<string, (a: Fact, b: Fact) => number> = {
  NAME: (a, b) => compareText(a.name, b.name),
  TITLE: (a, b) => compareText(a.title, b.title) || compareText(a.id, b.id),
  CREATED: (a, b) => a.created - b.created || compareText(b.id, a.id),
  MODIFIED: (a, b) => a.modified - b.modified || compareText(b.id, a.id),
};
const sorted = (of: readonly Fact[], field: string, direction: Direction): string[] => {
  const names = [...of].sort(ORDERS[field]).map(({ name }) => name);
  return direction === 'ASC' ? names : names.reverse();
};
const isPublic = ({ state, private: hidden }: Fact) => state === 'active' && !hidden;
const READERS: Record<string, [as: () => TestUser | null, reads: (fact: Fact) => boolean]> = {
  visitor: [() => null, isPublic],
  member: [() => member, (fact) => isPublic(fact) || fact.organization === 'lake'],
  sysadmin: [() => boss, () => true],
};

/** All names of a list, page by page, in both directions. */
async function walked(
  field: string,
  variables: Record<string, unknown>,
  types: string,
  as: TestUser | null,
  size: number,
) {
  const args = Object.keys(variables)
    .map((name) => `${name}: $${name}`)
    .join(', ');
  const ends: string[][] = [];
  for (const [count, cursor, more, edge] of [
    ['first', 'after', 'hasNextPage', 'endCursor'],
    ['last', 'before', 'hasPreviousPage', 'startCursor'],
  ] as const) {
    const text = `query ($size: Int, $at: String, ${types}) { list: ${field}(${args}, ${count}: $size, ${cursor}: $at) { totalCount nodes { name } pageInfo { ${more} ${edge} } } }`;
    const names: string[] = [];
    for (let at: string | null = null, isMore = true, pages = 0; isMore; pages += 1) {
      const { list } = await query(text, { ...variables, size, at }, as);
      const page = list.nodes.map(({ name }: { name: string }) => name);
      names[count === 'first' ? 'push' : 'unshift'](...page);
      [at, isMore] = [list.pageInfo[edge], list.pageInfo[more]];
      if (!isMore) expect(list.totalCount).toBe(names.length);
      expect(pages).toBeLessThan(40);
    }
    ends.push(names);
  }
  expect(ends[1]).toEqual(ends[0]);
  return ends[0]!;
}
const datasets = (where: object | null, orderBy: object | null, as: TestUser | null, size = 3) =>
  walked('datasets', { where, orderBy }, '$where: DatasetWhere, $orderBy: DatasetOrder', as, size);

describe('datasets', () => {
  it.each(
    Object.keys(ORDERS).flatMap(
      (field) =>
        [
          [field, 'ASC'],
          [field, 'DESC'],
        ] as [string, Direction][],
    ),
  )('are sorted by %s %s, page by page from both ends', async (field, direction) => {
    for (const [as, reads] of Object.values(READERS)) {
      expect(await datasets(null, { field, direction }, as())).toEqual(
        sorted(facts.filter(isPublic), field, direction),
      );
      const states = ['ACTIVE', 'DRAFT', 'DELETED'];
      expect(await datasets({ states }, { field, direction }, as(), 2)).toEqual(
        sorted(facts.filter(reads), field, direction),
      );
    }
  });

  it('have a default order, and a default direction for each field', async () => {
    const visible = facts.filter(isPublic);
    expect(await datasets(null, null, null)).toEqual(sorted(visible, 'MODIFIED', 'DESC'));
    expect(await datasets(null, { field: 'CREATED' }, null)).toEqual(sorted(visible, 'CREATED', 'DESC'));
    expect(await datasets(null, { field: 'TITLE' }, null)).toEqual(sorted(visible, 'TITLE', 'ASC'));
  });

  const instant = (micros: number) => new Date(micros / 1000).toISOString();
  const WHERE: Record<string, () => [where: object, fits: (fact: Fact) => boolean, isWide?: boolean]> = {
    organization: () => [{ organization: 'lake' }, ({ organization }) => organization === 'lake'],
    group: () => [{ group: 'fish' }, ({ groups }) => groups.includes('fish')],
    tag: () => [{ tag: 'wet' }, ({ tags }) => tags.includes('wet')],
    type: () => [{ type: 'harvest' }, ({ type }) => type === 'harvest'],
    license: () => [{ license: 'cc-by' }, ({ license }) => license === 'cc-by'],
    'a draft': () => [{ states: ['DRAFT'] }, ({ state }) => state === 'draft', true],
    'active ones, private or not': () => [{ states: ['ACTIVE'] }, ({ state }) => state === 'active', true],
    'private ones': () => [{ private: true }, (fact) => fact.private && fact.state === 'active', true],
    'public ones': () => [{ private: false }, (fact) => !fact.private && fact.state === 'active', true],
    'private drafts': () => [
      { private: true, states: ['DRAFT'] },
      (fact) => fact.private && fact.state === 'draft',
      true,
    ],
    modified: () => {
      const at = [...facts].sort(ORDERS.MODIFIED)[6]!.modified;
      return [{ modifiedFrom: instant(at), modifiedTo: instant(at) }, ({ modified }) => modified === at];
    },
    created: () => [{ createdFrom: '2020-01-01T00:00:00.000Z', createdTo: '2020-01-01T00:00:00.000Z' }, () => true],
    'created later': () => [{ createdFrom: '2020-01-01T00:00:00.001Z' }, () => false],
    several: () => [
      { organization: 'sea', license: 'cc-by', type: 'dataset', private: false },
      (fact) =>
        fact.organization === 'sea' &&
        fact.license === 'cc-by' &&
        fact.type === 'dataset' &&
        !fact.private &&
        fact.state === 'active',
      true,
    ],
    'an unknown tag': () => [{ tag: 'dry' }, () => false],
    'a null': () => [{ tag: null, states: null }, () => true],
  };
  it.each(Object.keys(WHERE))('are filtered for each reader: %s', async (name) => {
    const [where, fits, isWide = false] = WHERE[name]!();
    for (const [as, reads] of Object.values(READERS)) {
      const visible = facts.filter((fact) => fits(fact) && (isWide ? reads(fact) : isPublic(fact)));
      expect(await datasets(where, { field: 'NAME' }, as())).toEqual(sorted(visible, 'NAME', 'ASC'));
    }
  });

  it('of an object take the same arguments', async () => {
    const text = `query ($where: DatasetWhere) { organization(id: "lake") {
      datasets(where: $where, orderBy: { field: TITLE, direction: DESC }) { totalCount nodes { name } } } }`;
    for (const [as, reads] of Object.values(READERS)) {
      const { organization } = await query(text, { where: { states: ['DRAFT', 'ACTIVE', 'DELETED'] } }, as());
      const expected = sorted(
        facts.filter((fact) => fact.organization === 'lake' && reads(fact)),
        'TITLE',
        'DESC',
      );
      expect(organization.datasets.nodes.map(({ name }: { name: string }) => name)).toEqual(expected);
      expect(organization.datasets.totalCount).toBe(expected.length);
    }
  });

  it('of an object take ids in conditions', async () => {
    const text =
      '{ group(id: "fish") { datasets(where: { organization: "lake" }, orderBy: { field: NAME }) { nodes { name } } } }';
    const expected = facts.filter(
      (fact) => isPublic(fact) && fact.organization === 'lake' && fact.groups.includes('fish'),
    );
    expect((await query(text)).group.datasets.nodes.map(({ name }: { name: string }) => name)).toEqual(
      sorted(expected, 'NAME', 'ASC'),
    );
    const { body } = await world.graph(
      'query ($id: ID!) { group(id: "fish") { datasets(where: { organization: $id }) { totalCount } } }',
      {
        id: toGlobalId('User', member.id),
      },
    );
    expect(body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION', problems: [{ path: ['where', 'organization'] }] } },
    ]);
  });

  it.each([
    ['where: { organization: "nowhere" }', 'where', 'organization'],
    ['where: { group: "lake" }', 'where', 'group'],
    ['where: { states: [] }', 'where', 'states'],
    ['first: 1, last: 1', 'last'],
    ['before: "x"', 'before'],
    ['after: "eyJ"', 'after'],
  ])('are refused with %s, naming the field', async (args, ...path) => {
    const { body } = await world.graph(`{ datasets(${args}) { nodes { name } } }`);
    const [error] = body.errors;
    expect(error).toMatchObject({ extensions: { code: 'VALIDATION', problems: [{ path }] } });
  });

  it('refuse a cursor of another order', async () => {
    const { datasets: page } = await query(
      '{ datasets(first: 1, orderBy: { field: NAME }) { pageInfo { endCursor } } }',
    );
    for (const order of ['field: TITLE', 'field: NAME, direction: DESC', 'field: CREATED'])
      for (const argument of ['after', 'before'])
        expect(
          (
            await world.graph(
              `{ datasets(orderBy: { ${order} }, ${argument}: "${page.pageInfo.endCursor}") { nodes { name } } }`,
            )
          ).body.errors,
        ).toMatchObject([
          {
            extensions: {
              code: 'VALIDATION',
              problems: [{ path: [argument], message: 'Not a valid cursor for this order. Start again without it' }],
            },
          },
        ]);
  });

  it('refuse page sizes out of range in either direction', async () => {
    for (const argument of ['first', 'last'])
      for (const size of [-1, 0, 101])
        expect((await world.graph(`{ datasets(${argument}: ${size}) { nodes { name } } }`)).body.errors).toMatchObject([
          { extensions: { code: 'LIMIT', limit: { name: 'page' } } },
        ]);
  });
});
