/** Writes score functions in SQL. None can fail: a missing value counts as 0, and sizes are bounded. */
import type { Formula } from '../query/functions.ts';
import { columnText, type Writing } from './writing.ts';

const BOUND = 1e15;

export function functionText(given: Formula, writing: Writing): string {
  switch (given.kind) {
    case 'number':
      return writing.values.bind(given.value, 'float8');
    case 'field': {
      const column = columnText(given.field.of, writing);
      return given.field.type === 'instant' ? `(extract(epoch FROM ${column}) * 1000)::float8` : `${column}::float8`;
    }
    case 'call':
      return bounded(CALLS[given.name](given.of.map((one) => functionText(one, writing))));
  }
}

const CALLS: Readonly<Record<Extract<Formula, { kind: 'call' }>['name'], (of: readonly string[]) => string>> = {
  ms: ([at, other]) => (other === undefined ? at! : `${at} - ${other}`),
  recip: ([x, m, a, b]) => quotient(a!, `${m} * ${x} + ${b}`),
  sum: (of) => of.join(' + '),
  sub: ([a, b]) => `${a} - ${b}`,
  product: (of) => of.join(' * '),
  div: ([a, b]) => quotient(a!, b!),
  max: (of) => `GREATEST(${of.join(', ')})`,
  min: (of) => `LEAST(${of.join(', ')})`,
  abs: ([a]) => `abs(${a})`,
  sqrt: ([a]) => `sqrt(GREATEST(${a}, 0))`,
  log: ([a]) => `log(GREATEST(${a}, 1e-300))`,
  ln: ([a]) => `ln(GREATEST(${a}, 1e-300))`,
};

const quotient = (a: string, b: string): string => `${a} / NULLIF((${b})::float8, 0)`;
/** Limits the value to a range that later arithmetic can handle. */
const bounded = (text: string): string =>
  `COALESCE(round(LEAST(GREATEST((${text})::float8, -${BOUND}::float8), ${BOUND}::float8)::numeric, 15)::float8, 0)`;
