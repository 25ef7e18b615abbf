/** Writes the total score as a Solr function, with the same sum as on PostgreSQL. */
import type { Formula, Weighted } from '../query/functions.ts';
import type { Match, Score } from '../query/plan.ts';
import type { SearchPlan } from '../query/search.ts';
import { columnName } from './names.ts';
import { rankFunction } from './rank.ts';
import { matchQuery } from './where.ts';
import type { Writing } from './writing.ts';

/** Null when all datasets score equally. */
export function scoreFunction({ scores, added, factors }: SearchPlan, writing: Writing): string | null {
  const own = clauses(scores, writing);
  if (added.length + factors.length === 0) return own;
  const sum = `sum(${[own ?? '1', ...added.map(weighted)].join(',')})`;
  return bounded(factors.length === 0 ? sum : `product(${[sum, ...factors.map(weighted)].join(',')})`);
}

function clauses(scores: readonly Score[], writing: Writing): string | null {
  const functions = scores.flatMap(({ of, tie }) => {
    const parts = of.flatMap(({ match, weight }) => {
      const one = weight === 0 ? null : matchFunction(match, writing);
      return one === null ? [] : [`product(${weight},${one})`];
    });
    if (parts.length <= 1) return parts;
    const all = parts.join(',');
    return [`sum(product(${1 - tie},max(${all})),product(${tie},sum(${all})))`];
  });
  return functions.length === 0 ? null : `sum(0,${functions.join(',')})`;
}

function matchFunction(match: Match, writing: Writing): string | null {
  if (match.kind === 'text') return rankFunction(match, writing);
  const query = matchQuery(match, writing);
  return query === null ? null : `if(exists(query(${writing.params.bind(query)})),1,0)`;
}

const weighted = ({ of, weight }: Weighted): string => `product(${weight},${functionText(of)})`;

const BOUND = 1e15;
/** Limits the value to a range that later arithmetic can handle. */
const bounded = (text: string): string => `max(-${BOUND},min(${BOUND},${text}))`;

function functionText(given: Formula): string {
  switch (given.kind) {
    case 'number':
      return String(given.value);
    case 'field': {
      const name = columnName(given.field.of);
      return given.field.type === 'instant' ? `ms(${name})` : name;
    }
    case 'call':
      return bounded(given.name === 'ms' ? millis(given.of) : CALLS[given.name](given.of.map(functionText)));
  }
}

/** Solr subtracts instants exactly only when they are passed as instants. */
function millis(of: readonly Formula[]): string {
  const instants = of.map((one) =>
    one.kind === 'number'
      ? new Date(one.value).toISOString()
      : one.kind === 'field' && one.field.type === 'instant'
        ? columnName(one.field.of)
        : null,
  );
  if (instants.every((instant) => instant !== null)) return `ms(${instants.join(',')})`;
  const [at, other] = of.map(functionText);
  return other === undefined ? at! : `sub(${at},${other})`;
}

const CALLS: Readonly<
  Record<Exclude<Extract<Formula, { kind: 'call' }>['name'], 'ms'>, (of: readonly string[]) => string>
> = {
  recip: ([x, m, a, b]) => quotient(a!, `sum(product(${m},${x}),${b})`),
  sum: (of) => `sum(${of.join(',')})`,
  sub: ([a, b]) => `sub(${a},${b})`,
  product: (of) => `product(${of.join(',')})`,
  div: ([a, b]) => quotient(a!, b!),
  max: (of) => `max(${of.join(',')})`,
  min: (of) => `min(${of.join(',')})`,
  abs: ([a]) => `abs(${a})`,
  sqrt: ([a]) => `sqrt(max(${a},0))`,
  log: ([a]) => `log(max(${a},1e-37))`,
  ln: ([a]) => `ln(max(${a},1e-37))`,
};

const quotient = (a: string, b: string): string => `if(${b},div(${a},${b}),0)`;
