/**
 * Checks that prisma/schema.prisma and the migrated database describe the same tables. Ignores CHECK constraints, triggers and collations,
 * which Prisma cannot express, and ON UPDATE of foreign keys, since ids never change.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { dataModel, type Tables, tablesOfSchema } from '../helpers/data-model.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';

/** Columns that Prisma cannot express, with the reason. */
const COLUMNS_IN_SQL_ONLY: Record<string, string> = {
  'change.transaction_id': 'Prisma has no xid8',
  'dataset_search.written': 'Prisma has no xid8',
  'dataset_search.words': 'Prisma has no tsvector',
  'dataset_search.field_words': 'Prisma has no tsvector',
  'webhook.types': 'Prisma has no nullable lists',
};

/**
 * Indexes that Prisma cannot express, with the reason: `partial` has a condition, `include` has more columns, `collation` sorts by another
 * collation than its column. `gin` is a kind that the schema leaves to SQL.
 */
const INDEXES_IN_SQL_ONLY: Record<string, string> = {
  change_activity: 'partial',
  change_activity_actor: 'partial',
  change_activity_sequence: 'partial',
  change_object_position: 'partial',
  change_position: 'partial',
  change_related_dataset: 'partial',
  change_unplaced: 'partial',
  dataset_document_hidden_name: 'partial',
  dataset_document_public_created: 'partial',
  dataset_document_public_modified: 'partial',
  dataset_document_public_name: 'partial',
  dataset_document_public_owner: 'partial',
  dataset_document_public_title: 'partial',
  dataset_document_trgm: 'gin',
  dataset_history_version: 'include',
  dataset_license: 'expression',
  dataset_search_facets: 'gin',
  dataset_search_field_words: 'gin',
  dataset_search_created: 'partial',
  dataset_search_modified: 'partial',
  dataset_search_words: 'gin',
  group_account_listed: 'partial',
  group_account_name_trgm: 'gin',
  harvest_record_object: 'partial',
  job_due: 'partial',
  job_finished: 'partial',
  job_host_queued: 'partial',
  job_lease: 'partial',
  job_queued_key: 'partial',
  job_running_key: 'partial',
  job_started: 'partial',
  resource_created: 'partial',
  resource_kind_trgm: 'gin',
  resource_link_new: 'partial',
  resource_link_unindexed: 'partial',
  usage_total_rising: 'partial',
  resource_modified: 'partial',
  resource_named: 'partial',
  resource_trgm: 'gin',
  revision_hidden: 'partial',
  revision_public: 'partial',

  tag_controlled: 'partial',
  tag_free: 'partial',
  tag_name_trgm: 'gin',
  term_translation_term: 'expression',
  user_account_created: 'partial',
  user_account_email: 'expression',
  user_account_email_trgm: 'gin',
  user_account_mailed: 'partial',
  user_account_name_trgm: 'gin',
  user_account_shown: 'partial',
  webhook_dead_letter_queued: 'partial',
};

let database: TestDatabase;
let client: pg.Client;
let migrated: Tables;
const schema = tablesOfSchema();

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  migrated = {
    columns: await facts(COLUMNS),
    indexes: await facts(indexes('reason IS NULL', 'definition')),
    foreignKeys: await facts(FOREIGN_KEYS),
  };
});
afterAll(async () => {
  await client.end();
  await database.end();
});

it('has the columns of the database, with their types and defaults', () => {
  expect(expressible(schema.columns)).toEqual(expressible(migrated.columns));
});

it('omits only columns that exist', () => {
  expect(Object.keys(migrated.columns)).toEqual(expect.arrayContaining(Object.keys(COLUMNS_IN_SQL_ONLY)));
});

it('has the primary keys, unique constraints and indexes of the database', () => {
  expect(schema.indexes).toEqual(migrated.indexes);
});

it('omits only indexes that Prisma cannot express', async () => {
  expect(await facts(indexes('reason IS NOT NULL', 'reason'))).toEqual(INDEXES_IN_SQL_ONLY);
});

it('has the foreign keys of the database', () => {
  expect(schema.foreignKeys).toEqual(migrated.foreignKeys);
});

it('describes every model and every field', () => {
  const undescribed = dataModel.models.flatMap((model) => [
    ...(model.documentation ? [] : [model.name]),
    ...model.fields.filter((field) => !field.documentation).map((field) => `${model.name}.${field.name}`),
  ]);
  expect(undescribed).toEqual([]);
});

const expressible = (columns: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !(name in COLUMNS_IN_SQL_ONLY)));

async function facts(statement: string): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; fact: string }>(statement);
  return Object.fromEntries(rows.map(({ name, fact }) => [name, fact]));
}

/** Tables of the catalog, without the migrations' own. */
const TABLES = `pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public' AND t.relname <> '_prisma_migrations'`;

const COLUMNS = `
  SELECT t.relname || '.' || a.attname AS name,
    regexp_replace(format_type(a.atttypid, a.atttypmod), '^timestamp with', 'timestamp(6) with')
      || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
      || CASE WHEN a.attgenerated <> '' THEN ' default generated'
           WHEN a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%' THEN ' default autoincrement()'
           ELSE coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') END AS fact
  FROM ${TABLES} JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
  WHERE t.relkind = 'r'`;

/** Indexes and the first reason why Prisma cannot express one. */
const indexes = (condition: string, fact: string): string => `
  SELECT name, ${fact} AS fact FROM (
    SELECT c.relname AS name,
      CASE WHEN i.indpred IS NOT NULL THEN 'partial' WHEN i.indexprs IS NOT NULL THEN 'expression'
        WHEN m.amname <> 'btree' THEN m.amname WHEN i.indnkeyatts < i.indnatts THEN 'include'
        WHEN EXISTS (SELECT FROM unnest(i.indkey::int2[], i.indcollation::oid[]) AS k (number, collation_id)
          JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number AND a.attcollation <> k.collation_id) THEN 'collation'
      END AS reason,
      CASE WHEN i.indisprimary THEN 'primary key' WHEN i.indisunique THEN 'unique' ELSE 'index' END
        || ' on ' || t.relname || ' ('
        || (SELECT string_agg(a.attname || CASE WHEN k.option & 1 = 1 THEN ' desc' ELSE '' END, ', ' ORDER BY k.place)
            FROM unnest(i.indkey::int2[], i.indoption::int2[]) WITH ORDINALITY AS k (number, option, place)
              JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number) || ')' AS definition
    FROM ${TABLES} JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_am m ON m.oid = c.relam) AS found
  WHERE ${condition}`;

const columnsOf = (table: string, numbers: string): string =>
  `(SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(${numbers}) WITH ORDINALITY AS k (number, place)
     JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = k.number)`;

const FOREIGN_KEYS = `
  SELECT f.conname AS name,
    '(' || ${columnsOf('f.conrelid', 'f.conkey')} || ') to ' || target.relname || ' (' || ${columnsOf('f.confrelid', 'f.confkey')} || ') on delete '
      || CASE f.confdeltype WHEN 'a' THEN 'no action' WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' ELSE f.confdeltype::text END AS fact
  FROM ${TABLES} JOIN pg_constraint f ON f.conrelid = t.oid AND f.contype = 'f' JOIN pg_class target ON target.oid = f.confrelid`;
