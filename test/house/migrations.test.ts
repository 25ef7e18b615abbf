/**
 * Migrations since the last release only expand the schema, so that the older program works beside the newer one (docs/upgrade.md). A
 * migration that removes something is named after the oldest release that works with it, or is listed in released/migrations.json with the
 * reason. A release sets `newest` there and empties the list.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { loadModule, parseSync } from 'libpg-query';
import { projectRoot } from '../../src/kernel/root.ts';

const FOLDER = join(projectRoot, 'prisma/migrations');
const released: { newest: string; exceptions: Record<string, string> } = JSON.parse(
  readFileSync(join(projectRoot, 'test/house/released/migrations.json'), 'utf8'),
);

/** Statements that may break a program that does not know them. */
const NEVER = new Set([
  'DropStmt',
  'RenameStmt',
  'TruncateStmt',
  'AlterObjectSchemaStmt',
  'AlterEnumStmt',
  'RevokeStmt',
]);
/** Subcommands of ALTER TABLE that only add, or do not affect programs. New columns are checked separately. */
const ADDS = new Set([
  ...['AT_AddColumn', 'AT_ColumnDefault', 'AT_DropNotNull', 'AT_ValidateConstraint'],
  ...['AT_SetStatistics', 'AT_SetStorage', 'AT_SetRelOptions', 'AT_ResetRelOptions', 'AT_EnableTrig'],
]);

/** Lists the removals and new requirements of a migration. */
async function breaks(sql: string): Promise<string[]> {
  await loadModule();
  const statements = (parseSync(sql).stmts ?? []).map(({ stmt }: any) => Object.entries(stmt)[0] as [string, any]);
  const own = new Set(
    statements.filter(([kind]) => kind === 'CreateStmt').map(([, { relation }]) => relation.relname as string),
  );
  return statements.flatMap(([kind, body]): string[] => {
    if (kind === 'DropStmt' && body.removeType === 'OBJECT_INDEX' && !body.objects.some(isUnique)) return []; // makes queries slower only
    if (NEVER.has(kind)) return [`${kind} ${body.removeType ?? body.renameType ?? ''}`.trim()];
    if (kind === 'IndexStmt' && body.unique && !own.has(body.relation.relname))
      return ['a unique index on an old table'];
    if (kind !== 'AlterTableStmt' || own.has(body.relation.relname)) return [];
    return body.cmds
      .map(({ AlterTableCmd: cmd }: any) => faultOf(cmd))
      .filter((fault: string | null) => fault !== null);
  });
}

/** ON CONFLICT needs unique indexes. */
const isUnique = ({ List: { items } }: any): boolean => uniqueIndexes().has(items.at(-1).String.sval);
const uniqueIndexes = (): Set<string> =>
  new Set(
    readdirSync(FOLDER)
      .filter((name) => /^\d{4}_/.test(name))
      .flatMap((name) => [
        ...readFileSync(join(FOLDER, name, 'migration.sql'), 'utf8').matchAll(/CREATE UNIQUE INDEX "?(\w+)/gi),
      ])
      .map(([, index]) => index!),
  );

function faultOf({ subtype, name, def }: any): string | null {
  if (!ADDS.has(subtype)) return `${subtype} ${name ?? ''}`.trim();
  if (subtype !== 'AT_AddColumn') return null;
  const { colname, constraints = [] } = def.ColumnDef;
  const kinds: string[] = constraints.map(({ Constraint }: any) => Constraint.contype);
  const isFilled = kinds.some((kind) => /DEFAULT|IDENTITY|GENERATED/.test(kind));
  return kinds.includes('CONSTR_NOTNULL') && !isFilled ? `column ${colname} NOT NULL without a default` : null;
}

const names = readdirSync(FOLDER)
  .filter((name) => /^\d{4}_/.test(name) && name > released.newest)
  .sort();
const found = async () => {
  const all = await Promise.all(
    names.map(async (name) => [name, await breaks(readFileSync(join(FOLDER, name, 'migration.sql'), 'utf8'))] as const),
  );
  return Object.fromEntries(all.filter(([, faults]) => faults.length > 0));
};

it('only expands since the last release', async () => {
  expect(readdirSync(FOLDER)).toContain(released.newest);
  const faults = await found();
  const unnamed = Object.entries(faults).filter(([name]) => !/^\d{4}_needs_/.test(name) && !released.exceptions[name]);
  expect(unnamed).toEqual([]);
  expect(Object.keys(released.exceptions).filter((name) => !faults[name])).toEqual([]);
});

it.each([
  ['DROP TABLE a', ['DropStmt OBJECT_TABLE']],
  ['ALTER TABLE a RENAME b TO c', ['RenameStmt OBJECT_COLUMN']],
  ['ALTER TABLE a DROP COLUMN b', ['AT_DropColumn b']],
  ['ALTER TABLE a DROP CONSTRAINT c', ['AT_DropConstraint c']],
  ['ALTER TABLE a ALTER b TYPE bigint', ['AT_AlterColumnType b']],
  ['ALTER TABLE a ALTER b SET NOT NULL', ['AT_SetNotNull b']],
  ['ALTER TABLE a ADD CHECK (b > 0)', ['AT_AddConstraint']],
  ['ALTER TABLE a ADD b int NOT NULL', ['column b NOT NULL without a default']],
  ['CREATE UNIQUE INDEX i ON a (b)', ['a unique index on an old table']],
  ['ALTER TABLE a ADD b int NOT NULL DEFAULT 0, ADD c text', []],
  ['CREATE TABLE a (b int NOT NULL); CREATE UNIQUE INDEX i ON a (b); ALTER TABLE a ADD CHECK (b > 0)', []],
  ['DROP INDEX i; CREATE INDEX i ON a (b)', []],
])('%s: %j', async (sql, faults) => {
  expect(await breaks(sql)).toEqual(faults);
});
