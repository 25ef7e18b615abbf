/** Table preview: search, conditions, sort order by column headings, choice of columns, and pages by cursor. Needs no script. */

import type { ComponentChildren } from 'preact';
import { infoOf } from '../facts.tsx';
import { Notice } from '../form.tsx';
import { Icon } from '../icons.tsx';
import { elementOf, html, type Markup } from '../markup.ts';
import type { Texts } from '../texts.ts';
import { useTexts } from '../use-texts.ts';
import { type At, dataFields, type Field, type PreviewRecord, type Table } from './at.ts';
import { cellOf, headingOf, isNumber, recordLink } from './cell.tsx';
import { Hidden } from './hidden.tsx';
import {
  COMPARISONS,
  type Condition,
  firstPage,
  MAX_COLUMNS,
  sortedBy,
  type TableState,
  tableHref,
  tableParams,
  wordsOf,
} from './table-state.ts';

export interface TableData {
  readonly records: readonly PreviewRecord[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  /** Number of matching records; null on later pages of a search. */
  readonly total: number | null;
}

interface TableProps {
  readonly at: At;
  readonly table: Table;
  readonly state: TableState;
  /** Conditions of the view. */
  readonly fixed: readonly Condition[];
  readonly columns: readonly Field[];
  /** Null if the request was refused. */
  readonly data: TableData | null;
  readonly fault?: ComponentChildren;
}

/** Records from which a page says that its order has no index. */
const MANY = 100_000;

const isSlow = ({ indexes, size }: Table, { sort }: TableState): boolean =>
  sort !== null && sort.column !== '_id' && size.count > MANY && !indexes.some(([column]) => column === sort.column);

export function TablePreview(props: TableProps) {
  const { data, fault, fixed, table, state } = props;
  const texts = useTexts();
  const { t } = texts;
  return (
    <div class="preview">
      <Controls {...props} />
      <Notice text={fault} bad />
      {fixed.length > 0 && <p class="hint">{t('preview.fixed', { conditions: wordsOf(fixed, texts) })}</p>}
      {data && (
        <>
          <p class="count" role="status">
            <Count data={data} all={table.size.count} />
          </p>
          {isSlow(table, state) && (
            <p class="hint">{t('preview.noIndex', { column: state.sort!.column, count: table.size.count })}</p>
          )}
          {data.records.length > 0 && <Grid {...props} data={data} />}
          <Pages {...props} data={data} />
        </>
      )}
    </div>
  );
}

function Count({ data: { total, records }, all }: { data: TableData; all: number }) {
  const { t, rich } = useTexts();
  if (total === null) return <>{t('preview.onPage', { count: records.length })}</>;
  if (total === all) return <strong>{t('count.record', { count: total })}</strong>;
  return <>{rich('preview.countOf', { count: total, all, strong: (text) => <strong>{text}</strong> })}</>;
}

function Controls({ at, table, state, columns }: TableProps) {
  const { path } = at;
  const params = [...at.base, ...tableParams(state)];
  const fields = dataFields(table);
  const { t } = useTexts();
  return (
    <div class="controls">
      <search aria-label={t('preview.records')}>
        <form method="get" action={path} class="conditions">
          <Hidden params={params.filter(([name]) => name !== 'q')} />
          <p>
            <label for="table-q">{t('preview.words')}</label>
            <input id="table-q" type="search" name="q" value={state.q || undefined} />
          </p>
          <p>
            <label for="table-column">{t('preview.column')}</label>
            <select id="table-column" name="column">
              <option value="">{t('preview.anyColumn')}</option>
              {fields.filter(isComparable).map((field) => (
                <option key={field.id} value={field.id}>
                  {infoOf(field, 'label') || field.id}
                </option>
              ))}
            </select>
          </p>
          <p>
            <label for="table-is">{t('preview.comparison')}</label>
            <select id="table-is" name="is">
              {COMPARISONS.map((is) => (
                <option key={is} value={is}>
                  {t('preview.is', { is })}
                </option>
              ))}
            </select>
          </p>
          <p>
            <label for="table-value">{t('preview.value')}</label>
            <input id="table-value" type="text" name="value" />
          </p>
          <button type="submit">{t('common.apply')}</button>
        </form>
      </search>
      {(state.conditions.length > 0 || state.q) && <Chosen at={at} state={state} />}
      {fields.length > 1 && (
        <details class="columns-choice">
          <summary>{t('preview.columnsOf', { shown: columns.length, all: fields.length })}</summary>
          <form method="get" action={path}>
            <Hidden params={params.filter(([name]) => name !== 'show')} />
            <fieldset>
              <legend>{t('preview.columnsToShow', { max: MAX_COLUMNS })}</legend>
              <div class="columns">
                {fields.map(({ id }) => (
                  <label key={id} class="check">
                    <input
                      type="checkbox"
                      name="show"
                      value={id}
                      checked={columns.some((column) => column.id === id)}
                    />{' '}
                    {id}
                  </label>
                ))}
              </div>
              <div class="actions">
                <button type="submit" class="quiet">
                  {t('preview.showColumns')}
                </button>
              </div>
            </fieldset>
          </form>
        </details>
      )}
    </div>
  );
}

/** Whether values of a column can be compared with a text of a form. */
const isComparable = ({ type }: Field): boolean => !/^_|^json|^nested/.test(type);

function Chosen({ at, state }: { at: At; state: TableState }) {
  const { t } = useTexts();
  const without = (index: number) => state.conditions.filter((_, other) => other !== index);
  return (
    <ul class="chosen" aria-label={t('preview.conditions')}>
      {state.q && (
        <li>
          <a href={tableHref(at, firstPage({ ...state, q: '' }))} rel="nofollow">
            “{state.q}” <Icon name="close" />
            <span class="hidden">{t('preview.remove')}</span>
          </a>
        </li>
      )}
      {state.conditions.map((condition, index) => (
        <li key={JSON.stringify(condition)}>
          <a href={tableHref(at, firstPage({ ...state, conditions: without(index) }))} rel="nofollow">
            {t('preview.condition', { ...condition })} <Icon name="close" />
            <span class="hidden">{t('preview.remove')}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Grid({ at, state, columns, data }: TableProps & { data: TableData }) {
  const { t } = useTexts();
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a wide table */}
      <section class="scroll grid" tabIndex={0} aria-label={t('preview.records')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('preview.record')}</th>
              {columns.map((field) => (
                <Heading key={field.id} {...{ at, state, field }} />
              ))}
            </tr>
          </thead>
          <tbody>{elementOf(...data.records.map((record) => rowOf(at, columns, record, t)))}</tbody>
        </table>
      </section>
    </>
  );
}

function rowOf(at: At, columns: readonly Field[], record: PreviewRecord, t: Texts['t']): Markup {
  const id = String(record._id);
  const link = recordLink(at, id);
  return html`<tr>${headingOf(link, id)}${columns.map((field) => cellOf(field, record[field.id], link, t))}</tr>`;
}

function Heading({ at, state, field }: { at: At; state: TableState; field: Field }) {
  const order = state.sort?.column === field.id ? (state.sort.descending ? 'descending' : 'ascending') : undefined;
  const label = infoOf(field, 'label');
  return (
    <th scope="col" class={isNumber(field) ? 'number' : undefined} aria-sort={order}>
      <a href={tableHref(at, sortedBy(state, field.id))} rel="nofollow" title={label ? field.id : undefined}>
        {label || field.id}
        {order && <span aria-hidden="true">{order === 'ascending' ? ' ↑' : ' ↓'}</span>}
      </a>
    </th>
  );
}

/** Cursors hold the values of the sort column. URLs of very long ones do not work everywhere. */
const MAX_CURSOR = 4_000;

function Pages({ at, state, data: { pageInfo, records } }: TableProps & { data: TableData }) {
  const { t } = useTexts();
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  const first = firstPage(state);
  const isLong = [startCursor, endCursor].some((cursor) => (cursor?.length ?? 0) > MAX_CURSOR);
  if (isLong) return <p class="hint">{t('preview.tooLong')}</p>;
  const isFirst = state.after === '' && state.before === '';
  if (records.length === 0 && isFirst) return <p class="empty">{t('preview.noMatch')}</p>;
  if (!hasNextPage && !hasPreviousPage && isFirst) return null;
  return (
    <nav class="pages" aria-label={t('preview.recordPages')}>
      {!isFirst && (
        <a href={tableHref(at, first)} rel="nofollow">
          {t('preview.first')}
        </a>
      )}
      {hasPreviousPage && startCursor && (
        <a href={tableHref(at, { ...first, before: startCursor })} rel="prev nofollow">
          {t('common.previous')}
        </a>
      )}
      {hasNextPage && endCursor && (
        <a href={tableHref(at, { ...first, after: endCursor })} rel="next nofollow">
          {t('common.next')}
        </a>
      )}
    </nav>
  );
}
