/** SQL console: a form that needs no script, errors at their position in the statement, and the first rows of the result. */
import type { ComponentChildren } from 'preact';
import { Notice } from '../form.tsx';
import { scriptPath } from '../islands.ts';
import { useTexts } from '../use-texts.ts';
import { type At, dataFields, type Field, type PreviewRecord } from './at.ts';
import { isNumber, textOf } from './cell.tsx';
import { Hidden } from './hidden.tsx';
import { MAX_CELL } from './table-limits.ts';
import { MAX_COLUMNS } from './table-state.ts';

export interface SqlResult {
  readonly fields: readonly Pick<Field, 'id' | 'type'>[];
  readonly records: readonly PreviewRecord[];
  readonly isCut: boolean;
}

interface SqlProps {
  readonly at: At;
  readonly sql: string;
  /** Null if the statement was refused. */
  readonly data: SqlResult | null;
  readonly fault?: ComponentChildren;
  /** Position of the fault in the statement, from 0. */
  readonly position?: number | undefined;
}

export function SqlPreview({ at, sql, data, fault, position }: SqlProps) {
  const { t, rich } = useTexts();
  const name = `"${at.resource.databaseId}"`;
  const columns = (at.resource.table ? dataFields(at.resource.table) : [])
    .slice(0, MAX_COLUMNS)
    .map((field) => field.id);
  return (
    <div class="preview">
      <form method="get" action={at.path} class="stacked wide">
        <Hidden params={at.base} />
        <div class="field">
          <label for="sql">{t('preview.sql')}</label>
          {/* The first line end of the element is not part of its text. */}
          <textarea
            id="sql"
            name="sql"
            class="code"
            data-table={at.resource.databaseId}
            data-columns={JSON.stringify(columns)}
            data-fault={position}
            data-completions={t('islands.suggestions')}
            rows={Math.min(Math.max(sql.split('\n').length + 1, 4), 20)}
            spellcheck={false}
            aria-invalid={fault === undefined ? undefined : 'true'}
            aria-describedby={fault === undefined ? 'sql-hint' : 'sql-hint sql-fault'}
          >{`\n${sql}`}</textarea>
          <span class="hint" id="sql-hint">
            {rich('preview.sqlHint', { name: <code>{name}</code> })}
          </span>
        </div>
        <button type="submit">{t('preview.run')}</button>
      </form>
      <script type="module" src={scriptPath('sql')} />
      <div id="sql-fault">
        <Notice text={fault} bad />
        {fault !== undefined && position !== undefined && <Spot sql={sql} position={position} />}
      </div>
      {data && <Result data={data} />}
    </div>
  );
}

/** Characters of a line before and after a fault. */
const NEAR = 80;

/** The line of a fault, with the faulty word marked. */
function Spot({ sql, position }: { sql: string; position: number }) {
  const { t } = useTexts();
  const start = sql.lastIndexOf('\n', position - 1) + 1;
  const [line = ''] = sql.slice(start).split('\n', 1);
  const column = position - start;
  const [word = ''] = /^(\w+|.)?/u.exec(line.slice(column)) ?? [];
  const from = Math.max(column - NEAR, 0);
  return (
    <>
      <p class="hint">{t('preview.at', { line: sql.slice(0, start).split('\n').length, column: column + 1 })}</p>
      <pre class="file">
        <code>
          {from > 0 && '…'}
          {line.slice(from, column)}
          <mark>{word || ' '}</mark>
          {line.slice(column + word.length, column + word.length + NEAR)}
        </code>
      </pre>
    </>
  );
}

function Result({ data: { fields, records, isCut } }: { data: SqlResult }) {
  const { t } = useTexts();
  const columns = [...new Map(fields.map((field) => [field.id, field])).values()].slice(0, MAX_COLUMNS);
  const count = records.length;
  return (
    <>
      <p class="count" role="status">
        <strong>{isCut ? t('preview.firstRows', { count }) : t('preview.rows', { count })}</strong>
      </p>
      {count > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a wide table
        <section class="scroll grid" tabIndex={0} aria-label={t('preview.result')}>
          <table>
            <thead>
              <tr>
                {columns.map((field) => (
                  <th key={field.id} scope="col" class={isNumber(field) ? 'number' : undefined}>
                    {field.id}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {records.map((record, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of a statement have no names
                <tr key={index}>
                  {columns.map((field) => (
                    <td key={field.id} class={isNumber(field) ? 'number' : undefined}>
                      {cut(textOf(record[field.id], field.type))}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

const cut = (text: string): string => (text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text);
