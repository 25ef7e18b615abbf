/** Current numbers of the catalog for a caller. */
import { findLicense } from '../catalog/license/license.service.ts';
import { countReadableRows } from '../datastore/tables/total.service.ts';
import type { Call } from '../kernel/call.ts';
import { catchUp } from './fold.service.ts';
import { scopesOf } from './scopes.policy.ts';
import { checkFirst } from './statistics.rules.ts';
import { type CountRow, largestKeys } from './statistics.sql.ts';
import { countEdits, countsOf } from './statistics.store.ts';

/** Maximum number of groups in one list. */
const MAX_GROUPS = 100;

type Dimension = 'ORGANIZATION' | 'GROUP' | 'LICENSE' | 'FORMAT' | 'TAG' | 'TYPE';
type Counts = Pick<CountRow, 'objects' | 'resources' | 'bytes' | 'tables'>;

export interface ItemRecord {
  readonly name: string;
  readonly displayName: string;
  readonly datasets: number;
  readonly resources: number;
  readonly bytes: number;
  readonly tables: number;
}

export interface GroupsRecord {
  readonly items: ItemRecord[];
  readonly totalCount: number;
  readonly otherCount: number;
}

/** The backing type of Statistics; fields that read more are functions. */
export interface StatisticsRecord {
  readonly datasets: number;
  readonly privateDatasets: number;
  readonly states: readonly ItemRecord[];
  readonly resources: number;
  readonly bytes: number;
  readonly tables: number;
  rows(): Promise<number>;
  users(): Promise<number>;
  edits(): Promise<number>;
  groups(args: { by: Dimension; first: number }): Promise<GroupsRecord>;
  links(args: { organization?: string | null }): Promise<ItemRecord[]>;
  linkOrganizations(args: { verdict: string; first: number }): Promise<GroupsRecord>;
}

/** @throws CatalogError UNAVAILABLE */
export async function statistics(call: Call): Promise<StatisticsRecord> {
  await catchUp(call);
  const { actor, db } = call;
  const { base, hidden: hiddenScopes } = scopesOf(actor);
  const scopes = [base, ...hiddenScopes];
  const counts = await countsOf(db, [...new Set(['public', ...scopes])], 'state');
  const readable = counts.filter(({ scope }) => scopes.includes(scope));
  const states = [...new Set(readable.map(({ key }) => key))].sort();
  const active = readable.filter(({ key }) => key === 'active');
  const isPublic = counts.filter(({ scope, key }) => scope === 'public' && key === 'active');
  const { objects: datasets, resources, bytes, tables } = sumOf(active);
  return {
    datasets,
    privateDatasets: datasets - sumOf(isPublic).objects,
    states: states.map((state) => itemOf({ key: state, ...sumOf(readable.filter(({ key }) => key === state)) })),
    resources,
    bytes: safe(bytes),
    tables,
    rows: () => countReadableRows(call),
    users: async () => sumOf((await countsOf(db, ['public'], 'user')).filter(({ key }) => key === 'active')).objects,
    edits: () => countEdits(db, scopes),
    groups: ({ by, first }) => groupsOf(call, by.toLowerCase(), first),
    links: async ({ organization }) =>
      (await groupsOf(call, organization ? `link ${organization}` : 'link', MAX_GROUPS)).items,
    linkOrganizations: ({ verdict, first }) => groupsOf(call, `organization ${verdict.toLowerCase()}`, first),
  };
}

async function groupsOf({ sql, actor }: Call, dimension: string, first: number): Promise<GroupsRecord> {
  checkFirst(first, MAX_GROUPS);
  const rows = await largestKeys(sql, scopesOf(actor), dimension, first);
  const items = rows.map((row) => {
    const title = dimension === 'license' ? findLicense(row.key)?.title : row.title;
    return itemOf({ ...row, key: row.name ?? row.key }, title);
  });
  const { keys, sum } = rows[0] ?? { keys: 0, sum: 0 };
  return { items, totalCount: keys, otherCount: sum - items.reduce((total, { datasets }) => total + datasets, 0) };
}

const itemOf = (
  { key, objects, resources, bytes, tables }: Counts & { key: string },
  title?: string | null,
): ItemRecord => ({
  name: key,
  displayName: title || key,
  datasets: objects,
  resources,
  bytes: safe(bytes),
  tables,
});

/** A number that JSON clients read exactly. */
const safe = (value: number): number => Math.min(value, Number.MAX_SAFE_INTEGER);

const sumOf = (rows: readonly Counts[]): Counts => {
  const sum = (key: keyof Counts) => rows.reduce((total, row) => total + row[key], 0);
  return { objects: sum('objects'), resources: sum('resources'), bytes: sum('bytes'), tables: sum('tables') };
};
