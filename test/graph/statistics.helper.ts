/** Expected statistics by plain SQL and the policies of single reads, without the statistics tables. */
import { identifyUser } from '../../src/accounts/identity/identity.service.ts';
import { mayReadDataset } from '../../src/catalog/dataset/dataset.policy.ts';
import type { Actor } from '../../src/kernel/call.ts';
import type { TestUser } from '../helpers/make.ts';
import type { World } from '../helpers/world.ts';

export const DIMENSIONS = ['ORGANIZATION', 'GROUP', 'LICENSE', 'FORMAT', 'TAG', 'TYPE'] as const;
const NUMBERS = 'datasets resources bytes tables';
const ITEM = `name ${NUMBERS}`;
export const QUERY = `query ($first: Int) { statistics { datasets privateDatasets resources bytes tables users edits states { state ${NUMBERS} }
  ${DIMENSIONS.map((by) => `${by}: groups(by: ${by}, first: $first) { totalCount otherCount items { ${ITEM} } }`).join(' ')} } }`;

const STATES = ['active', 'draft', 'deleted'];

/** Selects `value, dataset id` of each group that a dataset is in. */
const MEMBERS: Record<(typeof DIMENSIONS)[number], string> = {
  ORGANIZATION: `SELECT g.name, d.id FROM dataset d JOIN group_account g ON g.id = d.owner_organization_id WHERE g.state = 'active'`,
  GROUP: `SELECT g.name, f.dataset_id FROM dataset_group f JOIN group_account g ON g.id = f.group_id
    WHERE g.state = 'active' AND NOT g.is_organization`,
  LICENSE: `SELECT license_id, id FROM dataset WHERE license_id <> ''`,
  FORMAT: `SELECT DISTINCT format, dataset_id FROM resource WHERE state = 'active' AND format <> ''`,
  TAG: 'SELECT t.name, u.dataset_id FROM dataset_tag u JOIN tag t ON t.id = u.tag_id WHERE t.vocabulary_id IS NULL',
  TYPE: 'SELECT type, id FROM dataset',
};

/** The actor of a user with the current roles, or a visitor for null. */
export async function actorOf(world: World, user: TestUser | null): Promise<Actor> {
  const visitor: Actor = { ...world.system, sysadmin: false };
  if (user === null) return visitor;
  const known = await identifyUser(world.app.callAs(world.system), user.id);
  return known ? { ...visitor, ...known } : visitor;
}

export async function readableIds({ database, settings }: World, actor: Actor): Promise<string[]> {
  const rows = await database.sql.rows<any>({
    text: `SELECT id, state, private, owner_organization_id AS "ownerOrganizationId", creator_id AS "creatorId" FROM dataset`,
  });
  return rows.filter((row) => mayReadDataset(actor, row, settings) === null).map(({ id }) => id);
}

/** Expected result of QUERY if `first` covers all groups. */
export async function expectedStatistics(world: World, actor: Actor): Promise<any> {
  const { sql } = world.database;
  const ids = await readableIds(world, actor);
  const sums = (from: string, format = false) => `SELECT m.value AS name, count(DISTINCT d.id)::float8 AS datasets,
      count(r.id)::float8 AS resources, coalesce(sum(greatest(r.size, 0)), 0)::float8 AS bytes, count(r.id) FILTER (WHERE r.datastore_active)::float8 AS tables
    FROM (${from}) m(value, id) JOIN dataset d ON d.id = m.id
    LEFT JOIN resource r ON r.dataset_id = d.id AND r.state = 'active' ${format ? 'AND r.format = m.value' : ''}
    WHERE d.id = ANY ($1) GROUP BY 1 ORDER BY 2 DESC, m.value COLLATE "C"`;
  const states = await sql.rows<any>({ text: sums('SELECT state, id FROM dataset') }, [ids]);
  const { name: _name, ...active } = states.find(({ name }) => name === 'active') ?? {
    datasets: 0,
    resources: 0,
    bytes: 0,
    tables: 0,
  };
  const [counts] = await sql.rows<any>(
    {
      text: `SELECT (SELECT count(*) FROM user_account WHERE state = 'active')::float8 AS users,
      (SELECT count(*) FROM dataset WHERE id = ANY ($1) AND state = 'active' AND private)::float8 AS private`,
    },
    [ids],
  );
  const found: any = {
    ...active,
    privateDatasets: counts.private,
    users: counts.users,
    edits: (await visibleChanges(world, actor)).length,
    states: states
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, ...numbers }) => ({ state: STATES.includes(name) ? name.toUpperCase() : 'OTHER', ...numbers })),
  };
  for (const by of DIMENSIONS) {
    const from = `SELECT m.* FROM (${MEMBERS[by]}) m(value, id) JOIN dataset s ON s.id = m.id WHERE s.state = 'active'`;
    const items = await sql.rows<any>({ text: sums(from, by === 'FORMAT') }, [ids]);
    found[by] = { totalCount: items.length, otherCount: 0, items };
  }
  return found;
}

export interface CountedChange {
  readonly action: string;
  readonly at: Date;
  readonly actorId: string | null;
  readonly organizationId: string | null;
}

/** Changes of datasets that the caller may count. */
export async function visibleChanges({ database, settings }: World, actor: Actor): Promise<CountedChange[]> {
  const rows = await database.sql.rows<any>({
    text: `SELECT action, created_at AS at, actor_id AS "actorId", is_public AS public, readers AS after, readers_before AS before,
      readers_before IS NULL AS same FROM change WHERE object_type = 'dataset' AND action <> 'noted'`,
  });
  return rows.flatMap(({ action, at, actorId, public: isPublic, after, before, same }) => {
    const facts = ['deleted', 'purged'].includes(action) && !same ? before : after;
    const may = facts !== null && mayReadDataset(actor, { ...facts, private: true }, settings) === null;
    if (!isPublic && !may && !actor.sysadmin) return [];
    return [{ action, at, actorId, organizationId: facts?.ownerOrganizationId ?? null }];
  });
}

/** Statistics with groups of equal size in the order of their names. */
export function sorted(statistics: any): any {
  const groups = DIMENSIONS.map((by) => {
    const items = [...statistics[by].items].sort((a, b) => b.datasets - a.datasets || (a.name < b.name ? -1 : 1));
    return [by, { ...statistics[by], items }];
  });
  return { ...statistics, ...Object.fromEntries(groups) };
}
