/**
 * No field of Query reveals hidden data. Hidden objects contain a secret word: private datasets, drafts and deleted datasets with all
 * their parts, deleted groups, tables, accounts, webhooks, harvest sources and tokens. No answer to a visitor or to a user without
 * permissions contains that word, or an id of such an object that was not in the request.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getNamedType } from 'graphql';
import { nodeReaders } from '../../src/graph/node/readers.ts';
import { publicSchema, schema } from '../../src/graph/schema.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { isPublic } from '../helpers/full-graph.ts';
import type { TestUser } from '../helpers/make.ts';
import {
  asked,
  chunks,
  type Field,
  packed,
  type Question,
  questionsOf,
  selectionsOf,
  tokensOf,
} from '../helpers/questions.ts';
import { createTables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

const SECRET = 'hushhush';
const WORDS = ['hushh', 'hushh*', '*:*', 'state:draft', 'private:true', 'title:hushh*', 'hash:hushh', 'name asc'];
const FACETS = ['tags', 'organization', 'groups', 'res_format', 'author', 'state'];
/** Timeout (ms) for all queries of one field on a slow and busy machine. */
const PER_FIELD = 240_000;
/** Keeps documents below the token limit, which no setting raises. */
const TOKENS = 2_800;

let world: World;
let owner: TestUser;
let stranger: TestUser;
const names: string[] = [];
/** Ids of hidden datasets by name. */
const hidden = new Map<string, string>();
/** Ids that an answer may contain only if the request did. */
const ids: string[] = [];

beforeAll(async () => {
  ({ world } = await createTables({
    'catalog.limits.graphql_cost': 1_000_000_000,
    'catalog.limits.graphql_nodes': 1_000_000_000,
  }));
  const { make, result } = world;
  owner = await make.user({ name: 'owner', email: `${SECRET}@example.com` });
  stranger = await make.user({ name: 'stranger' });
  const by = { as: owner };
  const admin = { as: await make.sysadmin() };
  const office = await make.organization({ name: 'office', members: { [owner.id]: 'admin' } });
  const water = await make.group({ name: 'water', members: { [owner.id]: 'admin' } });
  const usual = { owner_org: office.id, groups: [{ name: 'water' }] };
  const open = await result(
    'package_create',
    { name: 'open', ...usual, resources: [{ url: 'http://a.example/a.csv' }] },
    by,
  );
  const table = { resource_id: open.resources[0].id, force: true };
  await result('datastore_create', { ...table, records: [{ [SECRET]: SECRET }] }, by);
  await result('datastore_make_private', table, by);
  names.push('open', open.id, table.resource_id, 'office', office.id, 'water', water.id, 'owner', owner.id);
  for (const kind of ['private', 'draft', 'deleted']) await hide(kind, usual, open.id, by, admin);
  for (const kind of ['group', 'organization']) {
    const gone = await result(`${kind}_create`, { name: `gone-${kind}`, title: SECRET, description: SECRET }, admin);
    await result(`${kind}_delete`, { id: gone.id }, admin);
    names.push(gone.id, gone.name);
  }
  const url = `https://example.com/${SECRET}`;
  const { createWebhook, createHarvestSource, createToken } = (
    await world.graph(
      `mutation { createWebhook(input: { url: "${url}", name: "${SECRET}" }) { webhook { databaseId } }
        createHarvestSource(input: { url: "${url}", kind: CKAN, name: "${SECRET}", organization: "office" }) { source { databaseId } }
        createToken(input: { name: "${SECRET}", scope: ADMIN }) { created { token { id } } } }`,
      {},
      by,
    )
  ).body.data;
  ids.push(createWebhook.webhook.databaseId, createHarvestSource.source.databaseId, createToken.created.token.id);
  names.push(...ids);
});
afterAll(() => world.end());

/** Creates a hidden dataset with one of each object that belongs to it. */
async function hide(kind: string, usual: object, open: string, by: { as: TestUser }, admin: { as: TestUser }) {
  const { result } = world;
  const [name, alias] = [`${SECRET}-${kind}`, `${SECRET}-${kind}-table`];
  const said = {
    title: SECRET,
    notes: SECRET,
    author: SECRET,
    tags: [{ name: SECRET }],
    extras: [{ key: SECRET, value: SECRET }],
  };
  const file = {
    url: `http://example.org/${SECRET}.png`,
    name: SECRET,
    format: SECRET,
    hash: SECRET,
    description: SECRET,
  };
  // A dataset that was public once stays visible in its old state, so it is created hidden.
  const state = { private: kind !== 'draft', ...(kind === 'draft' && { state: 'draft' }) };
  const { id, resources, revision_id } = await result(
    'package_create',
    { name, ...usual, ...said, ...state, resources: [file] },
    admin,
  );
  const resource_id = resources[0].id;
  await result('package_relationship_create', { subject: open, object: id, type: 'depends_on', comment: SECRET }, by);
  await result('datastore_create', { resource_id, force: true, records: [{ [SECRET]: SECRET }], aliases: [alias] }, by);
  await result('follow_dataset', { id }, by);
  const item = await result('related_create', { title: SECRET, type: 'idea', dataset_id: id }, by);
  const view = await result('resource_view_create', { resource_id, title: SECRET, view_type: 'image_view' }, by);
  const about = { entity_id: resource_id, entity_type: 'resource', task_type: SECRET, key: SECRET, value: SECRET };
  const task = await result('task_status_update', about, admin);
  if (kind === 'deleted') await result('package_delete', { id }, by);
  ids.push(id, resource_id, item.id, view.id, task.id, revision_id);
  names.push(name, alias);
  hidden.set(name, id);
}

interface Answer {
  readonly question: Question;
  readonly said: string;
  readonly isRefusal: boolean;
  /** Whether a part of the answer was refused, which may null other parts too. */
  readonly isPartial: boolean;
}

/** Sends many queries at once, and one by one if one error nulls the whole response. */
async function ask(field: Field, some: readonly Question[], selection: string, as: TestUser | null): Promise<Answer[]> {
  const { query, variables } = asked(field, some, selection);
  const { body, text } = await (isPublic(field.name) ? world.graph : world.full)(query, variables, { as });
  if (!body.data && !body.errors?.[0]?.path) throw new Error(`${text.slice(0, 500)}\n${query.slice(0, 500)}`);
  if (!body.data && some.length > 1)
    return (await Promise.all(some.map((one) => ask(field, [one], selection, as)))).flat();
  const errors: { path: [string, ...unknown[]]; message: string }[] = body.errors ?? [];
  const partial = new Set(errors.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));
  const told = (alias: string, answer: unknown, isRefusal: boolean): Answer => ({
    question: some[Number(alias.slice(1))]!,
    said: JSON.stringify(answer) ?? '',
    isRefusal,
    isPartial: partial.has(alias),
  });
  return [
    ...Object.entries(body.data ?? {}).map(([alias, data]) => told(alias, data, false)),
    ...errors.map(({ path, message }) => told(path[0], message, true)),
  ];
}

/** Leaks in the answers to queries of a field, each with its query. */
async function told(field: Field): Promise<string[]> {
  const questions = questionsOf(field, { names, types: Object.keys(nodeReaders), words: WORDS, facets: FACETS });
  const steps = field.name === 'datasetSearch' ? 2 : 1; // to the values of facets
  const type = getNamedType(field.type);
  const selections = selectionsOf(type, steps);
  const found: string[] = [];
  for (const as of [null, stranger]) {
    /** Collects leaks and returns the questions that were refused in part. */
    const look = async (some: readonly Question[], selection: string): Promise<Question[]> => {
      const answers: Answer[] = [];
      for (const chunk of chunks(some, chunkSize(some, selection)))
        answers.push(...(await ask(field, chunk, selection, as)));
      for (const answer of answers) {
        const what = toldBy(answer);
        const asked = JSON.stringify(answer.question).slice(0, 300);
        if (what) found.push(`${as?.name ?? 'a visitor'}: ${field.name}(${asked})${selection} tells ${what}`);
      }
      return [...new Set(answers.filter(({ isPartial }) => isPartial).map(({ question }) => question))];
    };
    // Sends the selections together, then one by one if a refused part may have nulled others.
    for (const { whole, parts } of packed(type, selections)) {
      const partial = await look(questions, whole);
      if (partial.length > 0 && parts.length > 1) for (const part of parts) await look(partial, part);
    }
  }
  return found;
}

/** Number of questions in one operation. */
function chunkSize(some: readonly Question[], selection: string): number {
  const most = Math.max(...some.map((question) => Object.keys(question).length));
  return Math.max(1, Math.min(40, Math.floor((TOKENS - tokensOf(selection)) / (14 + 14 * most))));
}

/** The part of an answer that leaks, or null. Answers may repeat the input, and nothing that was looked up with it. */
function toldBy({ question, said, isRefusal }: Answer): string | null {
  const asked = JSON.stringify(question);
  const isIn = (text: string) =>
    asked.includes(text) || Object.keys(nodeReaders).some((type) => asked.includes(toGlobalId(type, text)));
  // `world.graph` replaces the name of a dataset in a global id by its id.
  const isAsked = (id: string) => isIn(id) || [...hidden].some(([name, one]) => one === id && isIn(name));
  // A global id may hold a name, which a refusal repeats.
  const isNamed = () => asked.includes(SECRET) || names.some((name) => name.includes(SECRET) && isAsked(name));
  const isTold = (word: string) => (word === SECRET ? !isRefusal || !isNamed() : !isAsked(word));
  const word = [SECRET, ...ids].find((one) => said.includes(one) && isTold(one)); // most answers hold none of them
  return word === undefined ? null : said.slice(Math.max(0, said.indexOf(word) - 200), said.indexOf(word) + 100);
}

// `nodes` covers `node`.
const contract = Object.values(schema.getQueryType()!.getFields()).filter(({ name }) => !isPublic(name));
const open = Object.values(publicSchema.getQueryType()!.getFields()).filter(({ name }) => name !== 'node');
const fields = [...open, ...contract];

describe('reveals no hidden data to visitors and other users:', () => {
  it.each(fields.map((field) => [field.name, field] as const))(
    '%s',
    async (_name, field) => {
      const found = await told(field);
      if (found.length > 0) throw new Error(`${found.length} answers tell:\n${found.slice(0, 8).join('\n')}`);
    },
    PER_FIELD,
  );
});

it('shows hidden data to its owner', async () => {
  const query = '{ organization(id: "office") { datasets(first: 10) { nodes { title } } } }';
  expect((await world.graph(query, {}, { as: owner })).text).toContain(SECRET);
});
