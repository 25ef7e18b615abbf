/** Replaces a resource's table with records that arrive in pages, atomically. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { invalidField, type Problem, refuse } from '../../kernel/errors.ts';
import { allowWriting, noTable, ownerOf } from '../access.service.ts';
import { datastoreOf } from '../connected.ts';
import { tableWritten } from '../tables/change.service.ts';
import {
  aliasProblems,
  type FieldInput,
  type JsonRecord,
  keyFieldProblems,
  notAType,
  requestedFields,
  tableProblem,
} from '../tables/fields.rules.ts';
import { findOwners } from '../tables/owner.sql.ts';
import { hideTable } from '../tables/owner.store.ts';
import { listKnownTypes } from '../tables/tables.sql.ts';
import { replaceByRecords } from './load.store.ts';

export interface ReplaceTableInput {
  readonly resourceId: string;
  /** Fields with their types. */
  readonly fields: readonly FieldInput[];
  readonly primaryKey: readonly string[];
  /** Aliases; names already in use are skipped. */
  readonly aliases: readonly string[];
  /** Pages of records in order. Called once. */
  readonly pages: () => AsyncIterable<readonly JsonRecord[]>;
  /** Whether the table is hidden as if the dataset were private. */
  readonly isHidden: boolean;
  readonly signal: AbortSignal;
}

export interface ReplacedTable {
  readonly rows: number;
  /** Skipped aliases. */
  readonly leftOut: readonly string[];
}

/**
 * Errors that `pages` throws pass through, and the table stays unchanged.
 * @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, UNAVAILABLE
 */
export async function tableReplace(call: Call, input: ReplaceTableInput): Promise<ReplacedTable> {
  const { resourceId } = input;
  const store = datastoreOf(call);
  const owner = await ownerOf(call, resourceId);
  if (!owner) throw noTable(resourceId);
  const wrong = tableProblem(resourceId);
  if (wrong) throw invalidField('resourceId', wrong);
  allowWriting(call, owner);
  const { fields, problems } = requestedFields(input.fields, [], []);
  const names = fields.map(({ id }) => id);
  refuse([...problems, ...keyFieldProblems(input.primaryKey, names)]);
  const known = await listKnownTypes(
    store.sql,
    fields.map(({ type }) => type),
  );
  refuse(
    fields.flatMap(({ type }): Problem[] => (known.has(type) ? [] : [{ path: ['fields'], message: notAType(type) }])),
  );
  const given = [...new Set(input.aliases)];
  const isResource = new Set((await findOwners(call.sql, given)).map((one) => one.resourceId));
  const aliases = given.filter((alias) => aliasProblems([alias]).length === 0 && !isResource.has(alias));
  if (input.isHidden) await hideTable(call.db, resourceId, true); // before the first row is visible
  return store.exclusively(resourceId, async () => {
    const isNew = !(await ownerOf(call, resourceId))?.active;
    return replaceByRecords(store, resourceId, { ...input, fields, aliases }, async (made) => {
      const isThere = await inTransaction(call, (call) =>
        tableWritten(call, resourceId, isNew ? 'created' : 'updated', { records: made.rows }),
      );
      if (!isThere) throw noTable(resourceId);
      return { rows: made.rows, leftOut: given.filter((alias) => !made.aliases.includes(alias)) };
    });
  });
}
