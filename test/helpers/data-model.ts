/** The tables that prisma/schema.prisma describes, from the models that its generator writes as data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/kernel/root.ts';

export interface Field {
  readonly name: string;
  readonly dbName?: string;
  readonly kind: 'scalar' | 'object' | 'enum' | 'unsupported';
  readonly type: string;
  readonly nativeType: readonly [string, readonly string[]] | null;
  readonly isList: boolean;
  readonly isRequired: boolean;
  readonly default?: unknown;
  readonly documentation?: string;
  readonly relationFromFields?: readonly string[];
  readonly relationToFields?: readonly string[];
  readonly relationOnDelete?: string;
}
export interface Model {
  readonly name: string;
  readonly dbName: string;
  readonly documentation?: string;
  readonly fields: readonly Field[];
}
interface Index {
  readonly model: string;
  readonly type: 'id' | 'unique' | 'normal';
  readonly dbName?: string;
  readonly fields: readonly { readonly name: string; readonly sortOrder?: 'desc' }[];
}
/** Columns, indexes and foreign keys of the tables by name, as PostgreSQL writes them. */
export interface Tables {
  readonly columns: Record<string, string>;
  readonly indexes: Record<string, string>;
  readonly foreignKeys: Record<string, string>;
}

export const dataModel = JSON.parse(readFileSync(join(projectRoot, 'src/generated/data-model.json'), 'utf8')) as {
  readonly models: readonly Model[];
  readonly indexes: readonly Index[];
};
const modelOf = (name: string): Model => dataModel.models.find((model) => model.name === name) as Model;
const columnOf = (model: Model, name: string): string => {
  const field = model.fields.find((it) => it.name === name);
  return field?.dbName ?? name;
};
const columnsOf = (model: Model, names: readonly string[]): string[] => names.map((name) => columnOf(model, name));

const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Float: 'double precision',
  Real: 'real',
  SmallInt: 'smallint',
  Json: 'jsonb',
  Bytes: 'bytea',
  DateTime: 'timestamp(3) without time zone',
  Date: 'date',
};

function typeOf({ type, nativeType, isList }: Field): string {
  const [native, [precision, scale] = []] = nativeType ?? [type];
  const withPrecision: Record<string, string> = {
    Timestamptz: `timestamp(${precision ?? 6}) with time zone`,
    Decimal: `numeric(${precision},${scale})`,
  };
  const name = withPrecision[native] ?? TYPES[native];
  return `${name}${isList ? '[]' : ''}`;
}

function defaultOf(field: Field): string {
  const value = field.default;
  if (value === undefined) return '';
  if (typeof value === 'object') {
    const { name, args } = value as { name: string; args: readonly string[] };
    return ` default ${name === 'dbgenerated' ? (args[0] ?? 'generated') : `${name}()`}`;
  }
  const text = ['String', 'Json'].includes(field.type) ? `'${value}'::${typeOf(field)}` : value;
  return ` default ${text}`;
}

const ENDINGS = { id: 'pkey', unique: 'key', normal: 'idx' };
const KINDS = { id: 'primary key', unique: 'unique', normal: 'index' };

function indexOf({ model: owner, type, dbName, fields }: Index): [string, string] {
  const model = modelOf(owner);
  const columns = fields.map(({ name }) => columnOf(model, name));
  const parts = fields.map(({ sortOrder }, at) => `${columns[at]}${sortOrder === 'desc' ? ' desc' : ''}`);
  const name = dbName ?? [model.dbName, ...(type === 'id' ? [] : columns), ENDINGS[type]].join('_');
  return [name, `${KINDS[type]} on ${model.dbName} (${parts.join(', ')})`];
}

const ACTIONS: Record<string, string> = { NoAction: 'no action', Cascade: 'cascade', SetNull: 'set null' };

function foreignKeyOf(model: Model, field: Field): [string, string] {
  const target = modelOf(field.type);
  const from = columnsOf(model, field.relationFromFields ?? []);
  const to = columnsOf(target, field.relationToFields ?? []);
  const action = ACTIONS[field.relationOnDelete ?? ''] ?? 'not stated';
  return [
    [model.dbName, ...from, 'fkey'].join('_'),
    `(${from.join(', ')}) to ${target.dbName} (${to.join(', ')}) on delete ${action}`,
  ];
}

/** The tables as the schema describes them. */
export function tablesOfSchema(): Tables {
  const fields = dataModel.models.flatMap((model) => model.fields.map((field) => ({ model, field })));
  return {
    columns: Object.fromEntries(
      fields
        .filter(({ field }) => field.kind !== 'object')
        .map(({ model, field }) => [
          `${model.dbName}.${field.dbName ?? field.name}`,
          `${typeOf(field)}${field.isRequired ? ' not null' : ''}${defaultOf(field)}`,
        ]),
    ),
    indexes: Object.fromEntries(dataModel.indexes.map(indexOf)),
    foreignKeys: Object.fromEntries(
      fields
        .filter(({ field }) => field.relationFromFields?.length)
        .map(({ model, field }) => foreignKeyOf(model, field)),
    ),
  };
}
