/** Actions of the DataStore. Most repeat the request's parameters beside their results. */
import {
  ActionRecordsDeleteDocument,
  ActionRecordsWriteDocument,
  ActionTableCreateDocument,
  ActionTableDeleteDocument,
  ActionTableInfoDocument,
  ActionTableQueryDocument,
  ActionTableSearchDocument,
  ActionTableVisibilityDocument,
} from '../../../src/generated/operations.ts';
import type { Use } from '../../../src/kernel/usage.ts';
import { resourceFields } from '../../../src/records/form/dataset.ts';
import { action } from '../define.ts';
import { flag, notOffered, required, text } from '../params.ts';
import { ANYTHING, either, listOf, NULL, NUMBER, OBJECT, object, orNull, TEXT } from '../schema.ts';
import {
  clauses,
  exactFilters,
  filters,
  indexes,
  names,
  newResource,
  recordsFormat,
  tableFields,
  tableRecords,
  whole,
  words,
} from './inputs.ts';
import { fieldDicts, kindOf, links, repeated, searched } from './shapes.ts';

const named = { resource_id: text('Id of the resource.'), id: text('Alias of `resource_id` for older clients.') };
const NAMED = [['resource_id'], ['id']];
/** Reads both names of the id. The service reports a missing one. */
const idOf = (p: { resource_id?: string | undefined; id?: string | undefined }): string => p.resource_id ?? p.id ?? '';
const force = flag('Also change the table of a resource that is a file or a link.');
const calculate_record_count = flag("Updates PostgreSQL's estimate of the number of records (ANALYZE).");
const fields = listOf(object({ id: TEXT, type: TEXT }, { info: OBJECT }));
const written = object({ resource_id: TEXT }, { method: TEXT, records: ANYTHING, fields: ANYTHING });
/** The resource of a statement that reads one table by its id. */
const readOfTable = (sql: string): Use | null => {
  const [, id] = /\bfrom\s+"([^"]{1,100})"/i.exec(sql) ?? [];
  return id === undefined ? null : { kind: 'read', of: 'resource', id };
};
const CREATED = ['aliases', 'fields', 'records', 'primary_key', 'indexes'];
const SILENT = ['resource_id', 'id', 'force', 'calculate_record_count', 'resource'];

export const datastoreActions = {
  datastore_create: action({
    kind: 'write',
    needs: 'datastore',
    records: true,
    summary: 'Creates the table of a resource, or adds fields, keys, aliases and records to an existing one.',
    differs:
      'The whole request is stored, or nothing. A table whose resource no longer exists is created again. Names above 63 bytes are refused. CKAN truncates them.',
    returns: 'Dictionary with `resource_id`, `method` and the parameters of the request.',
    answers: written,
    document: ActionTableCreateDocument,
    params: {
      ...named,
      force,
      resource: newResource('Creates a new resource for the table: a dictionary with the `package_id` of its dataset.'),
      aliases: names('Aliases of the table. The list replaces all existing aliases.'),
      fields: tableFields('Dictionaries with `id`, `type` (default: detected from the records) and `info`.'),
      records: tableRecords('Records to insert: dictionaries of field and value.'),
      primary_key: names('Fields that form the unique key.'),
      indexes: indexes('Fields to index. An item with commas is one index over several fields.'),
      calculate_record_count,
      delete_fields: notOffered('fields of a table cannot be deleted; delete the table and create it again'),
      triggers: notOffered('tables have no triggers'),
    },
    anyOf: [...NAMED, ['resource']],
    variables: (p, raw) => ({
      input: {
        resourceId: raw.resource_id === '' ? '' : (p.resource_id ?? p.id),
        dataset: p.resource?.package_id === undefined ? undefined : String(p.resource.package_id),
        resource: p.resource && resourceFields(p.resource),
        fields: p.fields,
        records: p.records,
        aliases: p.aliases,
        primaryKey: p.primary_key,
        indexes: p.indexes,
        force: p.force,
        calculateRecordCount: p.calculate_record_count,
      },
    }),
    result: ({ createTable }, p, raw) => ({
      ...repeated(raw, CREATED, SILENT),
      ...(Array.isArray(raw.fields) && { fields: asDeclared(raw.fields) }),
      ...(Array.isArray(raw.fields) && raw.fields.length === 0 && { __extras: { fields: [] } }),
      ...(p.resource && { resource: { ...p.resource, url: '_datastore_only_resource' } }),
      method: 'insert',
      resource_id: createTable.table!.resourceId,
    }),
  }),
  datastore_upsert: action({
    kind: 'write',
    needs: 'datastore',
    records: true,
    summary: 'Writes records into a table: all of them or none.',
    returns: 'Dictionary with `resource_id` and the parameters of the request.',
    answers: written,
    document: ActionRecordsWriteDocument,
    params: {
      ...named,
      force,
      records: tableRecords('Records: dictionaries of field and value.'),
      method: text('upsert (default: insert or update by key), insert, or update (refuses unknown keys).'),
      dry_run: flag('Validates the request without writing.'),
      calculate_record_count,
    },
    anyOf: NAMED,
    variables: (p) => ({
      input: {
        resourceId: idOf(p),
        force: p.force,
        records: p.records,
        method: p.method,
        dryRun: p.dry_run,
        calculateRecordCount: p.calculate_record_count,
      },
    }),
    result: (_data, p, raw) => ({
      ...repeated(raw, ['records', 'method'], [...SILENT, 'dry_run']),
      resource_id: idOf(p),
    }),
  }),
  datastore_delete: action({
    kind: 'write',
    needs: 'datastore',
    summary: 'Deletes a table. With filters, deletes only the matching records.',
    returns: 'Dictionary with `resource_id` and the `filters` of the request.',
    answers: object({ resource_id: TEXT }, { filters: OBJECT }),
    document: ActionTableDeleteDocument,
    params: {
      ...named,
      force,
      filters: exactFilters(
        'Dictionary of field and value, or list of values. An empty dictionary matches all records.',
      ),
    },
    anyOf: NAMED,
    variables: (p) => ({
      whole: p.filters === undefined,
      table: { resourceId: idOf(p), force: p.force },
      records: { resourceId: idOf(p), force: p.force, filters: p.filters ?? {} },
    }),
    result: (_data, p, raw) => ({ ...repeated(raw, ['filters'], SILENT), resource_id: idOf(p) }),
  }),
  datastore_records_delete: action({
    kind: 'write',
    needs: 'datastore',
    summary: 'Deletes the records that match all filters. The table remains.',
    returns: 'Dictionary with `resource_id`, the `filters` of the request, and the number of `deleted` records.',
    answers: object({ resource_id: TEXT, filters: OBJECT, deleted: NUMBER }),
    document: ActionRecordsDeleteDocument,
    params: {
      ...named,
      force,
      filters: required(
        exactFilters('Dictionary of field and value, or list of values. An empty dictionary matches all records.'),
      ),
      calculate_record_count: flag('Has no effect. The number of records is always exact.'),
    },
    anyOf: NAMED,
    variables: (p) => ({ input: { resourceId: idOf(p), force: p.force, filters: p.filters } }),
    result: ({ deleteRecords }, p, raw) => ({
      ...repeated(raw, ['filters'], SILENT),
      resource_id: idOf(p),
      deleted: deleteRecords.count!,
    }),
  }),
  datastore_search: action({
    kind: 'read',
    needs: 'datastore',
    summary: 'Finds records of a table. `_table_metadata` lists all tables and aliases.',
    differs:
      'Tables of private datasets are hidden like the dataset (catalog.datastore.hide_private), also in the list of tables. The language applies to the records as well as to the words. Unknown parameters are ignored.',
    returns:
      'Dictionary with `resource_id`, `fields`, `records`, `total`, `_links` and the parsed parameters. Numbers of type int8 and numeric are strings, or JSON numbers with catalog.action_api.exact_numbers=number.',
    answers: object(
      {
        resource_id: TEXT,
        fields,
        records: either(listOf(ANYTHING), TEXT),
        _links: object({ start: TEXT, next: TEXT }, { prev: TEXT }),
      },
      { total: orNull(NUMBER), total_was_estimated: { type: 'boolean' } },
    ),
    document: ActionTableSearchDocument,
    params: {
      resource_id: text('Id of the resource, or an alias.'),
      id: text('Alias of `resource_id` for older clients.'),
      filters: filters(
        'Dictionary of field to value, list of values, or comparisons such as {"gte": 1, "lt": 5} (eq, gt, gte, lt, lte).',
      ),
      q: words('Words to find anywhere in a record, or a dictionary of field to words.'),
      full_text: text('Words to find anywhere in a record, in addition to a `q` of fields.'),
      distinct: flag('Returns identical records once. `total` counts all of them.'),
      plain: flag("False if `q` uses PostgreSQL's search syntax (fish & !cod, pre:*).", true),
      language: text('Language of `q`. Default: english.'),
      limit: whole('Maximum number of records, up to catalog.datastore.max_rows. Default: 100.'),
      offset: whole('Number of results to skip.'),
      fields: names('Fields to return, in this order. Default: all.'),
      sort: clauses('Fields to sort by, each followed by `asc` or `desc`. Default: `_id`.'),
      include_total: flag('Whether to return the total number of matching records.', true),
      total_estimation_threshold: whole(
        'Returns the estimate of PostgreSQL as `total` if it is at least this number, which saves counting. The total is exact without filters, with words, and with `distinct`.',
      ),
      records_format: recordsFormat,
    },
    anyOf: [['resource_id'], ['id']],
    variables: (p) => ({
      input: {
        resourceId: p.resource_id ?? p.id ?? '',
        filters: p.filters,
        q: p.q,
        fullText: p.full_text,
        distinct: p.distinct,
        plain: p.plain,
        language: p.language,
        limit: p.limit,
        offset: p.offset,
        fields: p.fields,
        sort: p.sort,
        includeTotal: p.include_total,
        totalEstimationThreshold: p.total_estimation_threshold,
        recordsFormat: p.records_format,
      },
    }),
    preset: ({ exactNumbers }) => ({ exactNumbers }),
    use: ({ tableSearch }) => ({ kind: 'read', of: 'resource', id: tableSearch.resource_id }),
    result: ({ tableSearch: { resource_id, fields, records, total, total_was_estimated } }, p, raw, query) => ({
      ...searched(raw, p),
      resource_id,
      fields: fieldDicts(fields),
      records,
      _links: links(query, p),
      ...(p.include_total && { total, total_was_estimated }),
    }),
  }),
  datastore_search_sql: action({
    kind: 'read',
    needs: 'datastore reader',
    summary: 'Runs one SELECT. Tables are named in double quotes by the id of their resource or by an alias.',
    differs:
      'Only listed functions, operators, types and syntax are allowed (docs/datastore.md). A result of more than catalog.datastore.max_rows rows is an error. CKAN truncates it.',
    returns:
      'Dictionary with `fields`, `records` and `sql`. Numbers of type int8 and numeric are strings, or JSON numbers with catalog.action_api.exact_numbers=number.',
    answers: object({ fields, records: listOf(OBJECT), sql: TEXT }),
    document: ActionTableQueryDocument,
    params: { sql: required(text('The statement.')) },
    variables: ({ sql }) => ({ sql }),
    preset: ({ exactNumbers }) => ({ exactNumbers }),
    use: (_data, { sql }) => readOfTable(sql),
    result: ({ tableQuery: { fields, records } }, { sql }) => ({ fields, records, sql }),
  }),
  datastore_info: action({
    kind: 'read',
    needs: 'datastore',
    summary: 'Describes a table: its fields and its size.',
    returns:
      'Dictionary with `meta` (`id`, `count`, `size` and `idx_size` in bytes, `aliases`, `primary_key`), `fields`, `schema` (field to number, date or text), and `auto_indexes`: indexes that the server made, with their `fields`, `included` fields, `reason`, `size` and `created_at`.',
    answers: object({ meta: OBJECT, schema: OBJECT, fields, auto_indexes: listOf(OBJECT) }),
    document: ActionTableInfoDocument,
    params: { id: text('Id of the resource, or an alias.'), resource_id: text('The same.') },
    anyOf: [['id'], ['resource_id']],
    variables: (p) => ({ id: p.id ?? p.resource_id }),
    result: ({ table }) => ({
      meta: {
        id: table.resourceId,
        count: table.size.count,
        size: table.size.size,
        idx_size: table.size.indexSize,
        aliases: table.aliases,
        primary_key: table.primaryKey,
        table_type: 'BASE TABLE',
      },
      schema: Object.fromEntries(
        table.fields.filter(({ id }) => !id.startsWith('_')).map(({ id, type }) => [id, kindOf(type)]),
      ),
      fields: fieldDicts(table.fields),
      auto_indexes: table.autoIndexes,
    }),
  }),
  datastore_make_private: action({
    kind: 'write',
    needs: 'datastore',
    summary: 'Hides a table as if its dataset were private.',
    differs: 'Members of the owner organization can still read it, also by SQL.',
    returns: 'Null.',
    answers: NULL,
    document: ActionTableVisibilityDocument,
    params: { resource_id: required(named.resource_id) },
    variables: (p) => ({ input: { resourceId: p.resource_id, hidden: true } }),
    result: () => null,
  }),
  datastore_make_public: action({
    kind: 'write',
    needs: 'datastore',
    summary: 'Makes a table visible to all callers who may read its dataset.',
    differs: 'The table of a private dataset remains hidden (catalog.datastore.hide_private).',
    returns: 'Null.',
    answers: NULL,
    document: ActionTableVisibilityDocument,
    params: { resource_id: required(named.resource_id) },
    variables: (p) => ({ input: { resourceId: p.resource_id, hidden: false } }),
    result: () => null,
  }),
};

/** Fields as declared; an old type name is returned as its current one. */
const asDeclared = (fields: readonly unknown[]): unknown[] =>
  fields.map((field) =>
    typeof field === 'object' && (field as { type?: unknown }).type === 'nested' ? { ...field, type: 'json' } : field,
  );
