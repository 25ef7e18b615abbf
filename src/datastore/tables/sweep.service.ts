/** Compares the two databases: tables without a resource, and resources without their table. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../kernel/call.ts';
import { notAuthorized } from '../../kernel/errors.ts';
import { ownerOf } from '../access.service.ts';
import { datastoreOf } from '../connected.ts';
import { removeTable } from '../rows/write.store.ts';
import { unmetClaims } from './claim.store.ts';
import { findOwners } from './owner.sql.ts';
import { forgetDiscarded, listActive, listDiscarded } from './owner.store.ts';
import { listTables } from './tables.sql.ts';

export interface TablesReport {
  /** Number of resources that have a table according to the catalog. */
  readonly named: number;
  /** Number of tables in the DataStore. */
  readonly stored: number;
  /** Ids of resources whose table is missing. */
  readonly missing: readonly string[];
  /** Tables without a resource. */
  readonly orphans: readonly string[];
  /** Resources whose table exists only in their source catalog and was not copied, with the reason. */
  readonly elsewhere: readonly { readonly resourceId: string; readonly message: string }[];
}

const BATCH = 100;
/** ms until a difference is verified: a table is created shortly before its resource. */
const MOMENT = 1_000;

/** Drops the tables of deleted and purged resources. @throws CatalogError UNAVAILABLE; the next run drops the remaining tables */
export async function dropDiscarded(call: Call): Promise<void> {
  for (;;) {
    const ids = await listDiscarded(call.db, BATCH);
    for (const id of ids) {
      await dropOrphan(call, id);
      await forgetDiscarded(call.db, id);
    }
    if (ids.length < BATCH) return;
  }
}

/** Drops a table, unless a resource uses it by now. */
async function dropOrphan(call: Call, table: string): Promise<void> {
  const store = datastoreOf(call);
  await store.exclusively(table, async () => {
    if ((await ownerOf(call, table))?.active) return;
    await store.write((sql) => removeTable(sql, table));
  });
}

/** Compares both databases. Sysadmins only. @throws CatalogError NOT_AUTHORIZED, UNAVAILABLE */
export async function tablesCheck(call: Call): Promise<TablesReport> {
  if (!call.actor.sysadmin) throw notAuthorized('only system administrators may check the tables');
  const report = await compare(call);
  const { missing, orphans } = report;
  if (missing.length + orphans.length === 0) return report;
  await sleep(MOMENT);
  const again = await compare(call);
  const still = (before: readonly string[], now: readonly string[]) => now.filter((id) => before.includes(id));
  return { ...again, missing: still(missing, again.missing), orphans: still(orphans, again.orphans) };
}

async function compare(call: Call): Promise<TablesReport> {
  const tables = new Set(await listTables(datastoreOf(call).sql));
  const active = new Set(await listActive(call.db));
  const strange = [...tables].filter((name) => !active.has(name));
  const unmet = await unmetClaims(call.db);
  const there = new Set((await findOwners(call.sql, strange)).map(({ resourceId }) => resourceId));
  return {
    named: active.size,
    stored: tables.size,
    missing: [...active].filter((id) => !tables.has(id)),
    orphans: strange.filter((name) => !there.has(name)), // excludes tables that an inactive resource still owns
    elsewhere: unmet.map(({ resourceId, message }) => ({
      resourceId,
      message: message ?? 'the next harvest will copy it',
    })),
  };
}

/** Drops the tables without a resource. Returns the report. @throws as tablesCheck */
export async function tablesSweep(call: Call): Promise<TablesReport> {
  const report = await tablesCheck(call);
  for (const table of report.orphans) await dropOrphan(call, table);
  await dropDiscarded(call);
  return report;
}
