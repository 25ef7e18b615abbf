/** Maps table columns to Parquet, and writes the COPY that returns their bytes. In SQL because Prisma has no COPY. Pure. */

import { type Fragment, ident, inlined, joined, sql } from '../fragment.ts';
import type { SearchPlan } from '../rows/search.plan.ts';
import { cellOf, rowsSql, type Source } from '../rows/search.sql.ts';
import type { Column } from '../tables/fields.rules.ts';
import type { ParquetColumn, Reading } from './parquet.program.ts';

/** Digits needed by a column of decimal numbers, before and after the point; `odd` when a value is not finite. */
export interface Digits {
  readonly whole: number;
  readonly after: number;
  readonly odd: boolean;
}

/** Maximum digits of an INT64, and of 16 bytes. */
const SHORT = 18;
const LONG = 38;

const own = ({ id }: Column): Fragment => sql`r.${ident(id)}`;
const decimals = (fields: readonly Column[]): Column[] => fields.filter(({ type }) => type === 'numeric');

/** A query for one row: a list with the digits of each decimal column, in order; null when there is none. */
export function digitsSql(source: Source, plan: SearchPlan): Fragment | null {
  const { rows, fields } = rowsSql(source, plan);
  const each = decimals(fields).map((field) => {
    const value = own(field);
    return sql`json_build_object('whole', coalesce(max(length(trunc(abs(${value}))::text)), 1), 'after', coalesce(max(min_scale(${value})), 0),
      'odd', coalesce(bool_or(${value} IN ('NaN', 'Infinity', '-Infinity')), false))`;
  });
  return each.length === 0 ? null : sql`SELECT json_build_array(${joined(each, ', ')}) AS digits FROM (${rows}) r`;
}

/** Columns of the file, and a statement for its rows in PostgreSQL's binary format. */
export function parquetSql(
  source: Source,
  plan: SearchPlan,
  digits: readonly Digits[],
): { copy: Fragment; columns: ParquetColumn[] } {
  const { rows, fields } = rowsSql(source, plan);
  const rest = [...digits];
  const made = fields.map((field) => columnOf(field, field.type === 'numeric' ? rest.shift()! : null));
  const values = joined(
    made.map(({ value }, index) => sql`${value} AS ${ident(String(index))}`),
    ', ',
  );
  return {
    copy: inlined(sql`COPY (SELECT ${values} FROM (${rows}) r) TO STDOUT (FORMAT binary)`),
    columns: made.map(({ column }) => column),
  };
}

interface Made {
  readonly column: ParquetColumn;
  readonly value: Fragment;
}

/** Types that need no conversion. */
const AS_THEY_ARE: Readonly<Record<string, [Reading, ParquetColumn['element']]>> = {
  int2: ['int2', { type: 'INT32' }],
  int4: ['int4', { type: 'INT32' }],
  int8: ['int8', { type: 'INT64' }],
  float4: ['float4', { type: 'FLOAT' }],
  float8: ['float8', { type: 'DOUBLE' }],
  bool: ['bool', { type: 'BOOLEAN' }],
  date: ['date', { type: 'INT32', converted_type: 'DATE' }],
  timestamp: [
    'timestamp',
    { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  ],
  timestamptz: [
    'timestamp',
    { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  ],
};

function columnOf(field: Column, digits: Digits | null): Made {
  const value = own(field);
  const column = (reading: Reading, element: ParquetColumn['element']): ParquetColumn => ({
    name: field.id,
    reading,
    element,
  });
  const direct = AS_THEY_ARE[field.type];
  if (direct) return { column: column(...direct), value };
  const text: Made = {
    column: column('text', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }),
    value: sql`(${cellOf(value, field.type)})::text`,
  };
  if (digits === null || digits.odd || digits.whole + digits.after > LONG) return text;
  const scaled = sql`trunc(${value} * ${`1e${digits.after}`}::numeric)`; // loses nothing: no value has more digits
  if (digits.whole + digits.after > SHORT)
    return {
      column: column('long decimal', {
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 16,
        converted_type: 'DECIMAL',
        precision: LONG,
        scale: digits.after,
      }),
      value: sql`${scaled}::text`,
    };
  const element: ParquetColumn['element'] =
    digits.after === 0
      ? { type: 'INT64' }
      : { type: 'INT64', converted_type: 'DECIMAL', precision: SHORT, scale: digits.after };
  return { column: column('int8', element), value: sql`${scaled}::int8` };
}
