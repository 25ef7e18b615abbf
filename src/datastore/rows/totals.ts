/** Totals of searches by condition, each valid for one version of the table, which every search returns. */
import { createHash } from 'node:crypto';
import { createLru } from '../../infra/concurrency/lru.ts';
import type { Condition, SearchPlan } from './search.plan.ts';
import { bound, boundTo, type KnownTotal, type Source } from './search.sql.ts';

/** Maximum totals in memory, each about 500 bytes. */
export const MAX_TOTALS = 20_000;
/** Maximum characters of a key that is not hashed. */
const MAX_KEY = 300;

const totals = createLru<KnownTotal>(MAX_TOTALS, 'datastore_totals');

/** Types whose values mean the same at any time. */
const TIMELESS = new Set(
  'text varchar bpchar int2 int4 int8 float4 float8 numeric bool uuid money json jsonb'.split(' '),
);
/** Values of other types, such as times. Words like `today` have other letters. */
const LITERAL = /^[-\d\s.:+TZtz]{1,100}$/;

const isTimeless = (condition: Condition): boolean => {
  if (condition.kind === 'null' || condition.kind === 'text') return true;
  const values = condition.kind === 'in' ? condition.values : [condition.value];
  return (
    TIMELESS.has(condition.column.type) ||
    values.every((value) => typeof value === 'number' || (typeof value === 'string' && LITERAL.test(value)))
  );
};

/**
 * The key of a search's total. Values are in it as they are bound, because JSON has no infinite numbers. Null if the total cannot be
 * stored: no conditions, or one that depends on the time.
 */
export function keyOfTotal({ table }: Source, { conditions, plain, language }: SearchPlan): string | null {
  if (table === undefined || conditions.length === 0 || !conditions.every(isTimeless)) return null;
  const parts = conditions.map((condition) => {
    if (condition.kind === 'text') return [condition.column?.id ?? null, condition.query, plain, language];
    const { id } = condition.column;
    if (condition.kind === 'null') return [id];
    return condition.kind === 'in'
      ? [id, condition.values.map(bound), condition.orNull, 'in']
      : [id, condition.with, boundTo(condition.column, condition.value)];
  });
  const text = JSON.stringify([table, parts]);
  return text.length <= MAX_KEY ? text : createHash('sha256').update(text).digest('base64');
}

export const knownTotal = (key: string | null): KnownTotal | undefined => (key === null ? undefined : totals.get(key));

/** Stores a total, unless its version is unknown. */
export function keepTotal(key: string | null, version: string | null, total: number | null): void {
  if (key !== null && version !== null && total !== null) totals.set(key, { version, total });
}
