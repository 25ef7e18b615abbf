/** Writes the COPY that returns rows of a worksheet as XML. In SQL because Prisma has no COPY. Pure. PostgreSQL writes every row itself. */

import { type Fragment, ident, inlined, joined, literal, number, sql } from '../fragment.ts';
import type { SearchPlan } from '../rows/search.plan.ts';
import { cellOf, rowsSql, type Source } from '../rows/search.sql.ts';
import type { Column } from '../tables/fields.rules.ts';
import { escaped, UNQUOTED, xmlText } from './dump.sql.ts';

/** Rows of a worksheet, without the one of column names. */
export const MAX_ROWS = 1_048_575;
/** Characters of a cell. Spreadsheet programs refuse a workbook with a longer one. */
const MAX_CELL = 32_767;
/** Numbers with more digits lose some in spreadsheet programs, so they are texts. */
const MAX_DIGITS = 15;
const MAX_EXACT = 10 ** MAX_DIGITS - 1;

/** Cell formats of the workbook: index in its style sheet. */
const STYLES = { date: 1, timestamp: 2 } as const;
/** Worksheets count days from here, and cannot represent earlier ones. */
const FIRST_DAY = '1900-03-01';

const own = ({ id }: Column): Fragment => sql`r.${ident(id)}`;

/** The statement for the rows, and the row of column names. */
export function xlsxSql(source: Source, plan: SearchPlan): { copy: Fragment; head: string } {
  const { rows, fields } = rowsSql(source, plan);
  const cells = joined(
    fields.map((field) => cell(field)),
    ', ',
  );
  const value = sql`'<row>' || array_to_string(ARRAY[${cells}]::text[], '') || '</row>'`;
  return {
    copy: inlined(sql`COPY (SELECT ${value} FROM (${rows}) r) TO STDOUT (${UNQUOTED})`),
    head: `<row>${fields.map(({ id }) => `<c t="inlineStr"><is><t>${xmlText(id)}</t></is></c>`).join('')}</row>`,
  };
}

/** A query for one row: `long` is true if there are more rows than a worksheet has. */
export function isTooLongSql(source: Source, plan: SearchPlan): Fragment {
  const { rows } = rowsSql(source, plan);
  return sql`SELECT count(*) > ${number(MAX_ROWS)} AS long FROM (SELECT 1 FROM (${rows}) r LIMIT ${number(MAX_ROWS + 1)}) c`;
}

function cell(field: Column): Fragment {
  const value = own(field);
  const text = sql`'<c t="inlineStr"><is><t xml:space="preserve">' || ${escaped(sql`left(${cellOf(value, field.type)}::text, ${number(MAX_CELL)})`)} || '</t></is></c>'`;
  return sql`coalesce(${typed(field.type, value, text)}, '<c/>')`;
}

/** `text`: the cell as a text, for values that the type of the cell cannot represent. */
function typed(type: string, value: Fragment, text: Fragment): Fragment {
  if (type === 'int2' || type === 'int4') return sql`'<c><v>' || ${value} || '</v></c>'`;
  if (type === 'int8')
    return sql`CASE WHEN abs(${value}::numeric) <= ${number(MAX_EXACT)} THEN '<c><v>' || ${value} || '</v></c>' ELSE ${text} END`;
  if (type === 'float4' || type === 'float8')
    return sql`CASE WHEN ${value}::text ~ '^[-+.e0-9]+$' THEN '<c><v>' || ${value} || '</v></c>' ELSE ${text} END`;
  if (type === 'numeric')
    return sql`CASE WHEN ${value}::text ~ ${literal(`^-?([0-9][.]?){1,${MAX_DIGITS}}$`)} THEN '<c><v>' || ${value} || '</v></c>' ELSE ${text} END`;
  if (type === 'bool') return sql`'<c t="b"><v>' || ${value}::int4 || '</v></c>'`;
  if (type !== 'date' && type !== 'timestamp') return text;
  const days = sql`extract(epoch FROM ${value}::timestamp) / 86400 + 25569`;
  return sql`CASE WHEN ${value} >= ${literal(FIRST_DAY)}::date AND ${value} < '9999-12-31'::date
    THEN '<c s="' || ${number(STYLES[type])} || '"><v>' || round((${days})::numeric, 10) || '</v></c>' ELSE ${text} END`;
}
