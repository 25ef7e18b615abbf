/** Cost and depth of operations: calculation on a small schema and on the catalog's, and refusals above the limits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { describe, expect, it } from '@jest/globals';
import { type GraphQLObjectType, getIntrospectionQuery, getOperationAST, isObjectType, parse, validate } from 'graphql';
import { COSTLY, type Measured, measure } from '../../src/graph/admission/cost.ts';
import {
  checkDocument,
  checkRun,
  checkShape,
  MAX_ALIASES,
  MAX_DIRECTIVES,
  MAX_LENGTH,
  MAX_ROOT_FIELDS,
  MAX_TOKENS,
} from '../../src/graph/admission/limits.ts';
import { LONG_LISTS } from '../../src/graph/admission/list-size.ts';
import { schema as catalog, publicSchema } from '../../src/graph/schema.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import type { Settings } from '../../src/kernel/settings.ts';

const schema = makeExecutableSchema({
  typeDefs: `
    type Query { dataset: Dataset datasets(first: Int, after: String, last: Int): DatasetConnection! list(limit: Int = 5): [Dataset!]! all(limit: Int): [Dataset!]! nodes(ids: [ID!]!): [Dataset]! any: [Thing!]! lookUp(input: Search!): Found! }
    input Search { text: String limit: Int }
    type Found { count: Int! results: [Dataset!]! }
    type Mutation { touch(name: String): Dataset }
    type DatasetConnection { nodes: [Dataset!]! edges: [Edge!]! totalCount: Int! }
    type Edge { cursor: String! node: Dataset! }
    type Dataset { name: String! title: String! resources: [Resource!]! parent: Dataset datasets(first: Int): DatasetConnection! }
    type Resource { url: String! }
    union Thing = Dataset | Resource`,
});

function measured(query: string, name?: string): Measured {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  return measure(schema, document, getOperationAST(document, name)!, 1_000);
}

const cost = (query: string, variables: Record<string, unknown> = {}): number => measured(query).amount(variables).cost;
const nodes = (query: string, variables: Record<string, unknown> = {}): number =>
  measured(query).amount(variables).nodes;
const settings = {
  'catalog.limits.graphql_depth': 5,
  'catalog.limits.graphql_cost': 1_000,
  'catalog.limits.graphql_nodes': 5_000,
  'catalog.limits.graphql_page': 100,
} as Settings;

function shape(query: string): void {
  const document = parse(query);
  const operation = getOperationAST(document)!;
  checkDocument(document);
  checkShape(measure(schema, document, operation, 1_000), operation, settings);
}

describe('the cost of an operation', () => {
  it('is 1 for each field and 10 more for each at the root', () => {
    expect(cost('{ dataset { name title } }')).toBe(13);
    expect(cost('{ a: dataset { name } b: dataset { name } }')).toBe(24);
  });

  it('multiplies the fields of a list by the requested size', () => {
    expect(cost('{ list(limit: 3) { name title } }')).toBe(11 + 3 * 2);
    expect(cost('{ nodes(ids: ["a", "b"]) { name } }')).toBe(11 + 2);
    expect(cost('{ datasets(first: 7) { totalCount nodes { name } edges { cursor node { name } } } }')).toBe(
      11 + 1 + (1 + 7) + (1 + 7 * 3),
    );
  });

  it("takes the argument's default for a list without a size, else 20 for a connection and 10 for others", () => {
    expect(cost('{ list { name } }')).toBe(11 + 5);
    expect(cost('{ datasets { nodes { name } } }')).toBe(11 + 1 + 20);
    expect(cost('{ dataset { resources { url } } }')).toBe(11 + 1 + 10);
  });

  it('takes `last` for a page that is read backward', () => {
    expect(cost('{ datasets(last: 50) { nodes { name } } }')).toBe(11 + 1 + 50);
    const query = 'query ($first: Int, $last: Int) { datasets(first: $first, last: $last) { nodes { name } } }';
    expect(cost(query, { first: null, last: 50 })).toBe(11 + 1 + 50);
    expect(cost(query, { first: 5, last: null })).toBe(11 + 1 + 5);
    expect(cost(query, {})).toBe(11 + 1 + 20);
  });

  it("takes the installation's maximum for a list without a `limit`", () => {
    expect(cost('{ all { name } }')).toBe(11 + 1_000);
    expect(cost('{ all(limit: 2) { name } }')).toBe(11 + 2);
    expect(cost('query ($n: Int) { all(limit: $n) { name } }')).toBe(11 + 1_000);
  });

  it('uses the variables of the run', () => {
    const query = 'query ($n: Int = 4, $ids: [ID!]!) { list(limit: $n) { name } nodes(ids: $ids) { name } }';
    expect(cost(query, { ids: [] })).toBe(22 + 4);
    expect(cost(query, { n: 100, ids: ['a', 'b', 'c'] })).toBe(22 + 100 + 3);
    expect(cost(query, { n: -5, ids: 'no list' })).toBe(22 + 0 + 20);
  });

  it('multiplies nested lists, also through fragments', () => {
    const query = `query ($n: Int) { datasets(first: $n) { ...Page } }
      fragment Page on DatasetConnection { nodes { ...Names datasets(first: 5) { nodes { name } } } }
      fragment Names on Dataset { name title }`;
    expect(cost(query, { n: 10 })).toBe(11 + 1 + 10 * (2 + 1 + 1 + 5));
  });

  it('takes the size of lists in the result from inside an input', () => {
    expect(cost('{ lookUp(input: { limit: 3 }) { count results { name } } }')).toBe(11 + 2 + 3);
    expect(cost('query ($n: Int) { lookUp(input: { limit: $n }) { results { name } } }', { n: 4 })).toBe(11 + 1 + 4);
    expect(
      cost('query ($input: Search!) { lookUp(input: $input) { results { name } } }', { input: { limit: 5 } }),
    ).toBe(11 + 1 + 5);
    for (const input of [{}, null, 'text', { limit: 'x' }])
      expect(cost('query ($input: Search!) { lookUp(input: $input) { results { name } } }', { input })).toBe(
        11 + 1 + 1_000,
      );
  });

  it('takes the default of a variable only if it is missing, also from inside an input', () => {
    const list = 'query ($n: Int = 1) { all(limit: $n) { name } }';
    expect(cost(list)).toBe(11 + 1);
    expect(cost(list, { n: null })).toBe(11 + 1_000);
    const lookUp = 'query ($input: Search! = { limit: 300 }) { lookUp(input: $input) { results { name } } }';
    expect(cost(lookUp)).toBe(11 + 1 + 300);
    expect(cost(lookUp, { input: {} })).toBe(11 + 1 + 1_000);
    expect(cost(lookUp, { input: { limit: 2 } })).toBe(11 + 1 + 2);
  });

  it('counts all types of a union', () => {
    expect(cost('{ any { ... on Dataset { name } ... on Resource { url } } }')).toBe(11 + 10 * 2);
  });

  it('is calculated at once for fragments that expand exponentially', () => {
    const bomb = (body: (next: string) => string) =>
      Array.from(
        { length: 100 },
        (_, n) => `fragment F${n} on Dataset { ${n < 99 ? body(`...F${n + 1}`) : 'name'} }`,
      ).join(' ');
    // Expanding 2^100 fields one by one would never end.
    expect(
      cost(`{ dataset { ...F0 } } ${bomb((next) => `a: parent { ${next} } b: parent { ${next} }`)}`),
    ).toBeGreaterThan(1e20);
    expect(
      cost(
        `query ($n: Int) { dataset { ...F0 } } ${bomb((next) => `a: datasets(first: $n) { nodes { ${next} } } b: datasets(first: $n) { nodes { ${next} } }`)}`,
        { n: 2 },
      ),
    ).toBeGreaterThan(1e20);
  });

  it('is moderate for the standard introspection query', () => {
    const document = parse(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }));
    const found = measure(schema, document, getOperationAST(document)!, 1_000);
    expect(found.amount({}).cost).toBeLessThan(10_000);
    expect(found.depth).toBeLessThanOrEqual(20);
  });
});

describe('the cost of whole objects and long lists in the schema of the catalog', () => {
  const most = 50_000;
  function costs(query: string): number {
    const document = parse(query);
    expect(validate(catalog, document)).toEqual([]);
    return measure(catalog, document, getOperationAST(document)!, 1_000).amount({}).cost;
  }

  it('allows the largest page of whole datasets once, and not under several aliases', () => {
    expect(costs('{ datasets(first: 1000) { nodes { document } } }')).toBe(11 + 1 + 1_000 * 20);
    expect(costs('{ datasets(first: 1000) { nodes { name document } } }')).toBeLessThan(most);
    const aliases = (count: number) => Array.from({ length: count }, (_, n) => `a${n}: document`).join(' ');
    expect(costs(`{ datasets(first: 1000) { nodes { ${aliases(3)} } } }`)).toBeGreaterThan(most);
    expect(costs(`{ datasets(first: 1000) { nodes { ${aliases(46)} } } }`)).toBeGreaterThan(most);
  });

  it('exceeds the limit for large pages of whole datasets in many groups', () => {
    const query = (limit: number, first: number) =>
      `{ groupList(input: { limit: ${limit} }) { datasets(first: ${first}) { nodes { document } } } }`;
    expect(costs(query(40, 1_000))).toBeGreaterThan(most);
    expect(costs(query(40, 20))).toBeLessThan(most);
  });

  it('counts each record of a page of a table', () => {
    const records = (first: number) => costs(`{ table(id: "x") { records(first: ${first}) { nodes } } }`);
    expect(records(100)).toBe(11 + 1 + 100 * 20);
  });

  it('takes 100 for lists without pages', () => {
    expect(costs('{ userList { name } }')).toBe(11 + 100);
    expect(costs('{ group(id: "g") { memberships { capacity } extras { key } } }')).toBe(11 + 1 + 100 + 1 + 10);
    expect(costs('{ groupOrOrganization(id: "g") { memberships { capacity } } }')).toBe(11 + 1 + 100);
    expect(costs('{ groupMembers(group: "g") { capacity } }')).toBe(11 + 100);
  });

  it('names only lists that exist in the schema', () => {
    for (const place of LONG_LISTS) {
      const [type, name] = place.split('.') as [string, string];
      const field = (catalog.getType(type) as GraphQLObjectType | undefined)?.getFields()[name];
      expect([place, String(field?.type)]).toEqual([place, expect.stringMatching(/^\[/)]);
    }
  });
});

describe('the cost of a search', () => {
  const catalogCost = (query: string): number => {
    const document = parse(query);
    expect(validate(catalog, document)).toEqual([]);
    return measure(catalog, document, getOperationAST(document)!, 1_000).amount({}).cost;
  };

  it('allows at most 12 searches in one operation', () => {
    const many = (count: number) =>
      catalogCost(
        `{ ${Array.from({ length: count }, (_, n) => `a${n}: datasetSearch(input: { rows: 0 }) { count }`).join(' ')} }`,
      );
    expect(many(12)).toBeLessThan(50_000);
    expect(many(13)).toBeGreaterThan(50_000);
    expect(catalogCost('{ search { totalCount facets(fields: ["tags"]) { field } } }')).toBeGreaterThan(10_000);
  });

  it('names only fields that exist in the schema', () => {
    for (const place of COSTLY.keys()) {
      const [type, name] = place.split('.') as [string, string];
      expect((catalog.getType(type) as GraphQLObjectType | undefined)?.getFields()[name]).toBeDefined();
    }
  });
});

describe('the nodes of an operation', () => {
  it('are the sizes of all its lists, multiplied if nested', () => {
    expect(nodes('{ dataset { name } }')).toBe(0);
    expect(nodes('{ datasets(first: 7) { totalCount } }')).toBe(0);
    expect(nodes('{ datasets(first: 7) { nodes { name resources { url } } } }')).toBe(7 + 7 * 10);
    expect(nodes('{ datasets(first: 7) { nodes { name } edges { node { name } } } }')).toBe(7 + 7);
    expect(nodes('query ($n: Int) { list(limit: $n) { datasets(first: $n) { nodes { name } } } }', { n: 3 })).toBe(
      3 + 9,
    );
    expect(nodes('{ __schema { types { name fields { name } } } }')).toBe(0);
  });
});

describe('introspection', () => {
  it('costs more for nested lists', () => {
    const nested = '{ __schema { types { fields { type { fields { name args { name } } } } } } }';
    expect(cost(nested)).toBeGreaterThan(3 * cost('{ __schema { types { fields { name args { name } } } } }'));
  });
});

describe('the depth of an operation', () => {
  it('counts fields, not fragments', () => {
    expect(measured('{ dataset { parent { ... on Dataset { ...F } } } } fragment F on Dataset { name }').depth).toBe(3);
  });
});

describe('a refusal', () => {
  it('names the limit, the value and the setting', () => {
    expect(() => shape('{ dataset { parent { parent { parent { parent { name } } } } } }')).toThrow(
      'The operation is nested 6 levels deep; at most 5 are allowed (catalog.limits.graphql_depth)',
    );
    const asked = measured('query ($n: Int) { list(limit: $n) { name } }');
    expect(() => checkRun(asked, { n: 2_000 }, settings)).toThrow(
      'The operation costs 2011; at most 1000 are allowed (catalog.limits.graphql_cost)',
    );
    expect(() => checkRun(asked, { n: 900 }, settings)).not.toThrow();
    expect(() => checkRun(asked, { n: Number.POSITIVE_INFINITY }, settings)).toThrow('catalog.limits.graphql_nodes');
  });

  it('applies to too many root fields, also through fragments', () => {
    const many = Array.from({ length: MAX_ROOT_FIELDS + 1 }, (_, n) => `a${n}: dataset { name }`).join(' ');
    expect(() => shape(`{ ${many} }`)).toThrow(`51 fields of Query; at most ${MAX_ROOT_FIELDS}`);
    expect(() => shape(`{ ...All } fragment All on Query { ${many} }`)).toThrow('51 fields of Query');
  });

  it('applies to strings that cannot be stored, in literals and in variables', () => {
    expect(() => shape('mutation { touch(name: "a\\u0000b") { name } }')).toThrow('NUL characters');
    expect(() => checkRun(measured('{ dataset { name } }'), { name: '\ud800' }, settings)).toThrow('Lone surrogates');
  });
});

describe('the documentation of costs', () => {
  const page = readFileSync(join(projectRoot, 'docs/graphql.md'), 'utf8');

  it('has a correct example', () => {
    const query = /```graphql\n(query \(\$n[^`]+)```/.exec(page)![1]!;
    const document = parse(query);
    expect(validate(catalog, document)).toEqual([]);
    const { amount } = measure(catalog, document, getOperationAST(document)!, 1_000);
    expect(amount({ n: 20 })).toEqual({ cost: 292, nodes: 120 });
    for (const n of [1, 7, 100]) expect(amount({ n })).toEqual({ cost: 12 + 14 * n, nodes: 6 * n });
  });

  const isPublic = (place: string): boolean => {
    const [type, name] = place.split('.') as [string, string];
    const parent = publicSchema.getType(type);
    return isObjectType(parent) && name in parent.getFields();
  };

  it('lists every limit with its value, and every public field with its own cost', () => {
    const rows = {
      length: MAX_LENGTH,
      tokens: MAX_TOKENS,
      aliases: MAX_ALIASES,
      directives: MAX_DIRECTIVES,
      rootFields: MAX_ROOT_FIELDS,
    };
    for (const [name, most] of Object.entries(rows))
      expect(page).toContain(`| \`${name}\` | ${most.toLocaleString('en')} |`);
    const defaults = settingsForTests();
    for (const name of ['depth', 'page', 'nodes', 'cost'] as const)
      expect(page).toContain(
        `| \`${name}\` | ${defaults[`catalog.limits.graphql_${name}`].toLocaleString('en')} | \`catalog.limits.graphql_${name}\` |`,
      );
    for (const [place, price] of [...COSTLY].filter(([place]) => isPublic(place))) {
      const name = place.startsWith('Query.') ? place : place.split('.')[1];
      expect(page).toMatch(new RegExp(`^\\|[^|]*\`${name}\`[^|]*\\| ${price.toLocaleString('en')} \\|$`, 'm'));
    }
    for (const place of [...LONG_LISTS].filter(isPublic))
      if (place !== 'Vocabulary.tags') expect(page).toContain(`\`${place.split('.')[1]}\``);
  });
});
