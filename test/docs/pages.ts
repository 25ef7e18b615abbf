/** Inputs and expected output of the blocks of each page: replaced values, data and patterns. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createEmptyDatabase } from '../helpers/database.ts';
import { freePort } from '../helpers/port.ts';
import type { Scene, Stream } from './scene.ts';

export interface Page {
  /** Texts of the page, and their replacements in this run. */
  readonly replace?: (scene: Scene) => Readonly<Record<string, string>>;
  /** Creates the data that the page assumes. */
  readonly before?: (scene: Scene) => unknown;
  readonly env?: (scene: Scene, text: string) => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>;
  readonly variables?: (scene: Scene) => Promise<Record<string, unknown>>;
  /** Commands that do not end, and the output that shows their success. */
  readonly streams?: Readonly<Record<string, Stream>>;
  /** Statements before and after an example of JavaScript, and the command that runs it. */
  readonly program?: { readonly first?: (scene: Scene) => string; readonly last?: string; readonly command?: string };
  /** Whether operations use the schema of the facades. */
  readonly isContract?: true;
  /** Patterns of the output of blocks with a text, if the page shows no output or a different one. */
  readonly prints?: Readonly<Record<string, RegExp>>;
}

const query = (text: string, scene: Scene): Promise<any> => scene.server.graph(text);
const idOf = async (scene: Scene, field: string): Promise<string> =>
  Object.values<any>(await query(`{ ${field} { id } }`, scene))[0].id;

const EXAMPLE = (scene: Scene) => ({
  'https://catalog.example.org': scene.oldUrl,
  'https://old.example.org': scene.oldUrl,
  'catalog-example-org': new URL(scene.oldUrl).host.replace(/\W/g, '-'),
});
const BACKUPS = (scene: Scene) => ({
  'catalog-20261124T031500Z.tar': scene.archive(),
  '/var/backups/catalog': scene.file('backups'),
  '/srv/catalog': scene.folder,
});

/** One year of flights, as records of a table. */
const flights = Array.from({ length: 40 }, (_, n) => ({
  ...{ year: 1990 + n, departure: `2026-01-${10 + (n % 20)}T10:00:00`, passengers: n, delay: n / 4 },
}));

export const PAGES: Readonly<Record<string, Page>> = {
  'README.md': {
    before: ({ file }) =>
      writeFileSync(file('catalog.jsonl'), '{"name": "wells", "title": "Wells", "owner_org": "water-office"}\n'),
    replace: EXAMPLE,
    prints: {
      organization_create: /"water-office"[\s\S]*"rivers"[\s\S]*"count": ?1\b/,
      datastore_create: /Bridge[\s\S]*Mill/,
      '/graphql': /"Water office"/,
      jsonld: /rivers/,
      'user add': /\/user\/reset\/[\s\S]*1 created[\s\S]*match their rows/,
    },
  },
  'docs/back-up.md': {
    before: ({ file }) => mkdirSync(file('backups')),
    replace: BACKUPS,
    env: async (scene, text) => (text.includes('restore') ? scene.emptyPlace() : {}),
  },
  'docs/changes.md': {
    replace: ({ base }) => ({ 'ws://localhost:5000': base.replace('http', 'ws') }),
    streams: {
      "'http://localhost": { until: /^event: change\ndata: \{/m },
      subscription: { until: /^event: next\ndata: \{"data"/m },
    },
    program: {
      first: ({ server: { key } }) => `import { WebSocket } from 'ws';
globalThis.WebSocket = WebSocket;
const [key, lastCursor, query] = ['${key}', 'WzFd', 'subscription ($after: String) { changes(after: $after) { cursor name } }'];
const take = ({ cursor, name }) => { console.log(cursor, name); process.exit(); };`,
      last: `client.subscribe({ query, variables: { after: lastCursor } }, { next: ({ data }) => take(data.changes), error: console.error, complete() {} });`,
    },
    prints: {
      "from 'graphql-ws'": /^W\S+ \S+$/m,
      "from 'graphql-sse'": /^W\S+ \S+$/m,
      'query":"subscription':
        /event: next\ndata: \{"data":\{"changes":\{"cursor":"[^"]+","operation":"UPDATED","name":"rivers"\}\}\}/,
      'limit=2': /^\{"cursor":"[^"]+","sequence":\d+,.*\n\{"cursor".*\n\{"next":"[^"]+","hasMore":true\}/,
    },
  },
  'docs/datastore.md': {
    before: async (scene) => {
      const resource = { package_id: 'rivers', name: 'flights' };
      const { resource_id } = await scene.server.call('datastore_create', { resource, records: flights });
      scene.made.resource = await idOf(scene, `resource(id: "${resource_id}")`);
    },
    replace: ({ made }) => ({ '…': made.resource! }),
  },
  'docs/graphql.md': {
    before: async (scene) => {
      await scene.server.call('package_create', { name: 'air' });
      writeFileSync(scene.file('air.csv'), 'a,b\n1,2\n');
      scene.made.air = await idOf(scene, 'dataset(name: "air")');
    },
    replace: ({ answer, made }) => ({
      'cgu_…': answer?.beginUpload?.upload?.token,
      'dataset: "…"': `dataset: "${made.air}"`,
      'river-levels': 'rivers',
    }),
    env: ({ answer }) => ({ URL: answer.beginUpload.upload.url }),
    variables: async () => ({ n: 2 }),
  },
  'docs/harvest.md': {
    before: ({ server }) => server.call('organization_create', { name: 'rivers' }),
    replace: EXAMPLE,
    variables: async (scene) => ({
      organization: await idOf(scene, 'organization(name: "water-office")'),
      source: scene.answer?.createHarvestSource?.source.id,
    }),
  },
  'docs/linked-data.md': {
    before: ({ server }) =>
      server.call('package_patch', { id: 'rivers', extras: [{ key: 'steward', value: 'A. Steward' }] }),
    program: { command: 'CATALOG__EXTRA_TEMPLATE_PATHS=$PWD/program.mjs catalog export --format ttl -' },
    prints: { steward: /<http:\/\/example\.org\/terms\/steward> "A\. Steward"/ },
  },
  'docs/links.md': { replace: () => ({ '--dataset NAME': '--dataset rivers' }) },
  'docs/moving.md': { replace: (scene) => ({ ...EXAMPLE(scene), '-a KEY': `-a ${scene.oldKey}` }) },
  'docs/operating.md': {
    env: async () => ({ CATALOG__PORT: String(await freePort()) }),
    streams: { 'serve --workers': { until: /GraphQL +http/ } },
  },
  'docs/secure.md': { prints: { psql: /\bf +\| f\b/ } },
  'docs/sessions.md': {
    before: ({ server }) =>
      server.call('user_create', { name: 'ann', email: 'ann@example.org', password: 'a long password' }),
    replace: () => ({ 'password: "…"': 'password: "a long password"' }),
  },
  'docs/usage.md': {
    before: async (scene) => {
      const ckan = await createEmptyDatabase();
      scene.atEnd(ckan.end);
      scene.made.ckan = ckan.url;
      const { id } = await scene.server.call('package_show', { id: 'rivers' });
      const table = `CREATE TABLE tracking_summary AS SELECT '/dataset/rivers'::text AS url, '${id}'::text AS package_id,
        'page'::text AS tracking_type, 7 AS count, 7 AS running_total, 7 AS recent_views, DATE '2026-01-02' AS tracking_date`;
      await scene.shell('psql "$URL" -qc "$TABLE"', { URL: ckan.url, TABLE: table });
    },
    replace: ({ made }) => ({ 'psql ckan': `psql "${made.ckan}"` }),
    prints: { 'usage import': /1 rows read, 1 of datasets and resources/ },
  },
  'docs/webhooks.md': {
    variables: async (scene) => ({ organization: await idOf(scene, 'organization(name: "water-office")') }),
  },
  'docs/how-to/add-an-action.md': { isContract: true },
  'docs/how-to/follow-changes.md': { env: () => ({ CURSOR: 'WzFd' }) },
};
