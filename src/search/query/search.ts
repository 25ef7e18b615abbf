/** Builds a search plan from all parameters: parsers, fields and scores. */
import { checkBudget } from './budget.ts';
import { parseDismax } from './dismax.ts';
import { functionsOf, type Weighted } from './functions.ts';
import { parseLucene } from './lucene.ts';
import { minimumOf } from './minimum.ts';
import { allOf, type Clauses, type Condition, type Meaning, planOf, type Score } from './plan.ts';
import { type SortKey, sortOf } from './sort.ts';
import { ALL, checkLength, type Node, reading, SyntaxFault, searchFault } from './syntax.ts';

/** Solr query parsers supported here. */
export type Parser = 'lucene' | 'dismax' | 'edismax';

export interface SearchInput {
  readonly q?: string | null;
  /** All of them must match. */
  readonly filters?: readonly string[] | null;
  readonly sort?: string | null;
  readonly defType?: string | null;
  readonly qf?: string | null;
  readonly mm?: string | null;
  readonly tie?: string | null;
  readonly bf?: string | null;
  readonly boost?: string | null;
}

export interface SearchPlan {
  readonly condition: Condition;
  /** Without scores and functions, all datasets score equally. */
  readonly scores: readonly Score[];
  /** Added to the score. */
  readonly added: readonly Weighted[];
  /** Multiply the score. */
  readonly factors: readonly Weighted[];
  readonly sort: readonly SortKey[];
  /** The sort order as text. */
  readonly sortText: string;
}

const USUAL_FIELDS = 'name^4 title^4 tags^2 groups^2 text';
const USUAL_MINIMUM = '2<-1 5<80%';
const USUAL_TIE = 0.1;
const MAX_FIELDS = 30;
const MAX_FILTERS = 50;

/** The plan. @throws CatalogError SEARCH naming the parameter and the column */
export function searchPlan(input: SearchInput, now: Date): SearchPlan {
  const { condition, scores } = queryPlan(input, now);
  const given = input.filters ?? [];
  if (given.length > MAX_FILTERS) throw searchFault('filters', `more than ${MAX_FILTERS} filters`);
  const filters = given.map((filter) => filterPlan(filter, now));
  const { keys, text } = sortOf(input.sort);
  const added = reading('addFunctions', () => functionsOf(input.bf ?? '', now));
  const factors = reading('multiplyFunctions', () => functionsOf(input.boost ?? '', now));
  checkBudget({
    query: { condition, scores },
    filters,
    addFunctions: added,
    multiplyFunctions: factors,
    sort: keys,
  });
  return { condition: allOf([condition, ...filters]), scores, added, factors, sort: keys, sortText: text };
}

/** Plain words use dismax; a query with a colon uses the Lucene syntax, as in CKAN. `qf` and `mm` apply to both. */
function queryPlan({ q, defType, qf, mm, tie }: SearchInput, now: Date): Clauses {
  const text = q?.trim() ? q : '*:*';
  const parser = parserOf(defType) ?? (text.includes(':') ? 'lucene' : 'dismax');
  const fields = reading('queryFields', () => fieldsOf(qf || USUAL_FIELDS));
  const minimum = mm || USUAL_MINIMUM;
  reading('minimumMatch', () => minimumOf(minimum, Number.MAX_SAFE_INTEGER)); // all of its conditions
  const meaning: Meaning = { fields, tie: tieOf(tie), minimum, parts: 'any', now };
  if (parser === 'lucene' || (parser === 'dismax' && text.includes(':'))) {
    const own = luceneMeaning(now);
    const given = { ...own, ...(qf && { fields }), ...(mm && { minimum }), ...(tie && { tie: meaning.tie }) };
    return reading('query', () => planOf(parseLucene(text), given));
  }
  // Solr reads local parameters before any parser, so no syntax accepts them as words.
  if (/^\s*\{!/.test(text)) throw searchFault('query', 'local parameters {!…} are not supported', 1);
  const tree = parser === 'edismax' ? edismax(text) : reading('query', () => parseDismax(text));
  return reading('query', () => planOf(tree, meaning));
}

const luceneMeaning = (now: Date): Meaning => ({
  fields: [{ name: 'text', weight: 1 }],
  tie: 0,
  minimum: null,
  parts: 'all',
  now,
});

/** Tries the Lucene syntax, then dismax, as Solr's edismax does. */
function edismax(text: string): Node {
  try {
    return parseLucene(text, 'OR');
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault) || /not supported|more than|longer than/.test(thrown.message))
      return reading('query', () => {
        throw thrown;
      });
    return reading('query', () => parseDismax(text.replace(/\b(AND|OR|NOT)\b/g, (word) => word.toLowerCase())));
  }
}

function filterPlan(filter: string, now: Date): Condition {
  const tree = reading('filters', () => parseLucene(filter));
  return reading('filters', () => planOf(withoutCapacity(tree) ?? ALL, luceneMeaning(now)).condition);
}

/** Callers cannot choose visibility: CKAN drops `capacity` from filters, and clients rely on it. */
function withoutCapacity(node: Node): Node | null {
  if (node.kind === 'clause') return node.field === 'capacity' ? null : node;
  if (node.kind === 'all') return node;
  const of = (nodes: readonly Node[]) => nodes.flatMap((child) => withoutCapacity(child) ?? []);
  const [must, should, not] = [of(node.must), of(node.should), of(node.not)];
  return must.length + should.length + not.length > 0 ? { ...node, must, should, not } : null;
}

function parserOf(given: string | null | undefined): Parser | null {
  if (!given) return null;
  if (given === 'lucene' || given === 'dismax' || given === 'edismax') return given;
  throw searchFault('parser', `${given.slice(0, 60)} is not supported; use lucene, dismax or edismax`);
}

/** Parses `title^4 notes`: fields with the weight of a match in each. */
function fieldsOf(text: string): Meaning['fields'] {
  checkLength(text);
  const parts = text
    .trim()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (parts.length > MAX_FIELDS) throw new SyntaxFault(`more than ${MAX_FIELDS} fields`, 1);
  return parts.map((part) => {
    const [, name, weight] = /^([^^]+)(?:\^(\d{1,6}(?:\.\d{1,6})?))?$/.exec(part) ?? [];
    if (name === undefined)
      throw new SyntaxFault(`${part.slice(0, 60)} is not a field such as title^4`, text.indexOf(part) + 1);
    return { name, weight: weight === undefined ? 1 : Number(weight) };
  });
}

function tieOf(given: string | null | undefined): number {
  if (!given) return USUAL_TIE;
  const tie = Number(given);
  if (!(tie >= 0 && tie <= 1)) throw searchFault('tie', `${given.slice(0, 40)} is not a number from 0 to 1`);
  return tie;
}
