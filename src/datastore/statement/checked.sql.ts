/**
 * Creates checked versions of PostgreSQL's functions and operators that can make large values from small ones, or scan one value for each
 * byte of another. In SQL because Prisma has no CREATE FUNCTION. Each checks sizes and interrupts first, which its original does not.
 * Statements whose tree does not bound their values resolve names to these first (statement.values.ts).
 */
import { MAX_PRODUCT } from './statement.growth.ts';

const CHECKED_SCHEMA = 'catalog_checked';
/** Increase it with every change below. */
const VERSION = 2;
/** Maximum bytes of a result. */
const MAX_BYTES = 16e6;

interface Checked {
  readonly name: string;
  readonly args: readonly string[];
  readonly result: string;
  /** Expression for the bytes of the result, or the bytes processed. */
  readonly size: string;
  readonly max: number;
  /** For an operator. */
  readonly operator?: string;
}

/** Terms of sizes. Never NULL, because some functions accept NULL for one argument and process the others. */
const orZero = (size: string): string => `coalesce(${size}, 0)::int8`;
const bytes = (parameter: number): string => orZero(`octet_length($${parameter})`);
/** Size as text, because stored values are compressed. */
const bytesOfText = (parameter: number): string => orZero(`octet_length($${parameter}::text)`);
const count = (parameter: number): string => orZero(`cardinality($${parameter})`);
const stored = (parameter: number): string => orZero(`pg_column_size($${parameter})`);
const product = `${bytes(1)} * ${bytes(2)}`;
const items = `${count(1)} * ${count(2)}`;
const elements = `(${bytesOfText(1)} / 3) * (${bytesOfText(2)} / 3)`;

const searched = (name: string, args: readonly string[], result: string): Checked => ({
  name,
  args,
  result,
  size: product,
  max: MAX_PRODUCT,
});
const operator = (sign: string, args: readonly string[], size: string, result = 'boolean'): Checked => ({
  name: `operator_${[...sign].map((character) => character.charCodeAt(0)).join('_')}`,
  args,
  result,
  size,
  max: MAX_PRODUCT,
  operator: sign,
});
const REPLACED = `(${bytes(1)} + 1) * (${bytes(3)} + 1) * 3 / 2`;
const ranked = (name: string, args: readonly string[]): Checked => ({
  name,
  args,
  result: 'real',
  size: orZero(`numnode($${args.indexOf('tsquery') + 1})`),
  max: 100,
});
const RANKED = [
  ['tsvector', 'tsquery'],
  ['tsvector', 'tsquery', 'integer'],
  ['real[]', 'tsvector', 'tsquery'],
  ['real[]', 'tsvector', 'tsquery', 'integer'],
];

/** All checked functions, in every signature PostgreSQL has. */
export const CHECKED: readonly Checked[] = [
  searched('strpos', ['text', 'text'], 'integer'),
  ...['text', 'bytea', 'bit'].map((type) => searched('position', [type, type], 'integer')),
  searched('split_part', ['text', 'text', 'integer'], 'text'),
  searched('string_to_array', ['text', 'text'], 'text[]'),
  searched('string_to_array', ['text', 'text', 'text'], 'text[]'),
  searched('translate', ['text', 'text', 'text'], 'text'),
  ...['btrim', 'ltrim', 'rtrim'].map((name) => searched(name, ['text', 'text'], 'text')),
  ...['btrim', 'ltrim', 'rtrim'].map((name) => searched(name, ['bytea', 'bytea'], 'bytea')),
  {
    name: 'replace',
    args: ['text', 'text', 'text'],
    result: 'text',
    size: `greatest(${product} / ${MAX_PRODUCT / MAX_BYTES}, ${bytes(1)} / greatest(${bytes(2)}, 1) * ${bytes(3)} + ${bytes(1)})`,
    max: MAX_BYTES,
  },
  ...[[], ['text'], ['integer'], ['integer', 'integer'], ['integer', 'integer', 'text']].map((more) => ({
    name: 'regexp_replace',
    args: ['text', 'text', 'text', ...more],
    result: 'text',
    size: REPLACED,
    max: MAX_BYTES,
  })),
  {
    name: 'array_to_string',
    args: ['anyarray', 'text'],
    result: 'text',
    size: `${count(1)} * (${bytes(2)} + 1) + 2 * ${stored(1)}`,
    max: MAX_BYTES,
  },
  {
    name: 'array_to_string',
    args: ['anyarray', 'text', 'text'],
    result: 'text',
    size: `${count(1)} * (${bytes(2)} + ${bytes(3)} + 1) + 2 * ${stored(1)}`,
    max: MAX_BYTES,
  },
  {
    name: 'array_replace',
    args: ['anycompatiblearray', 'anycompatible', 'anycompatible'],
    result: 'anycompatiblearray',
    size: `${count(1)} * (${bytesOfText(3)} + 8) + 2 * ${stored(1)}`,
    max: MAX_BYTES,
  },
  ...['~~', '!~~', '~~*', '!~~*'].map((sign) => operator(sign, ['text', 'text'], product)),
  ...['~~', '!~~', '~~*', '!~~*'].map((sign) => operator(sign, ['bpchar', 'text'], product)),
  ...['~~', '!~~'].map((sign) => operator(sign, ['bytea', 'bytea'], product)),
  ...['@>', '<@', '&&'].map((sign) => operator(sign, ['anyarray', 'anyarray'], items)),
  ...['@>', '<@'].map((sign) => operator(sign, ['jsonb', 'jsonb'], elements)),
  operator('-', ['jsonb', 'text[]'], elements, 'jsonb'),
  {
    name: 'jsonb_pretty',
    args: ['jsonb'],
    result: 'text',
    size: `${bytesOfText(1)}::numeric ^ 2 / 16`,
    max: MAX_BYTES,
  },
  ...RANKED.flatMap((args) => [ranked('ts_rank', args), ranked('ts_rank_cd', args)]),
];

const MESSAGE = 'A value in the query is too long for this function: ';

function definition({ name, args, result, size, max, operator }: Checked): string {
  const parameters = args.map((_, index) => `$${index + 1}`);
  const call = operator ? `$1 OPERATOR(pg_catalog.${operator}) $2` : `pg_catalog.${name}(${parameters.join(', ')})`;
  const made = `CREATE FUNCTION ${CHECKED_SCHEMA}.${name}(${args.join(', ')}) RETURNS ${result}
    LANGUAGE plpgsql ${name === 'array_to_string' ? 'STABLE' : 'IMMUTABLE'} PARALLEL SAFE AS $f$ BEGIN
      IF NOT coalesce(${size} <= ${max}, false) THEN RAISE EXCEPTION USING ERRCODE = '54000', MESSAGE = '${MESSAGE}${operator ?? name}'; END IF;
      RETURN ${call};
    END $f$;
    GRANT EXECUTE ON FUNCTION ${CHECKED_SCHEMA}.${name}(${args.join(', ')}) TO PUBLIC;`;
  if (!operator) return made;
  return `${made}
    CREATE OPERATOR ${CHECKED_SCHEMA}.${operator} (FUNCTION = ${CHECKED_SCHEMA}.${name}, LEFTARG = ${args[0]}, RIGHTARG = ${args[1]});`;
}

const COMMENT = `catalog ${VERSION}`;

/** SQL expression: whether the current version exists. */
export const areChecksThere = `coalesce(pg_catalog.obj_description(pg_catalog.to_regnamespace('${CHECKED_SCHEMA}'), 'pg_namespace') = '${COMMENT}', false)`;

/** Creates missing functions when the role may create a schema in the database; otherwise does nothing. */
export const makeChecks = `DO $do$ BEGIN
  IF NOT ${areChecksThere} AND has_database_privilege(current_database(), 'CREATE') THEN EXECUTE $sql$
    DROP SCHEMA IF EXISTS ${CHECKED_SCHEMA} CASCADE;
    CREATE SCHEMA ${CHECKED_SCHEMA};
    GRANT USAGE ON SCHEMA ${CHECKED_SCHEMA} TO PUBLIC;
    ${CHECKED.map(definition).join('\n    ')}
    COMMENT ON SCHEMA ${CHECKED_SCHEMA} IS '${COMMENT}'; $sql$;
  END IF;
  EXCEPTION WHEN insufficient_privilege THEN NULL;
END $do$;`;
