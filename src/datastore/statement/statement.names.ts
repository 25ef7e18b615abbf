/**
 * Where PostgreSQL finds what a name in a statement stands for: in what FROM and WITH give, here or in what stands around, or as a
 * function of a row. Pure.
 */
import { FUNCTIONS } from './statement.allowed.ts';
import { beside, COLUMN, GROWTH, together, type Value, widest } from './statement.growth.ts';
import type { Tree } from './statement.parser.ts';

/** What a FROM or WITH gives: its columns by name, where names are known, and the greatest of the others. */
export interface Source {
  readonly columns: ReadonlyMap<string, Value>;
  readonly others: Value;
  readonly row: Value;
  /** Rows that series give it, multiplied. */
  readonly rows: number;
  /** Whether a function in FROM gives it: its rows may be single values. */
  readonly isFunction?: boolean;
}

export interface Scope {
  readonly sources: readonly { readonly name: string | undefined; readonly source: Source }[];
  readonly given: ReadonlyMap<string, Source>;
  readonly around: Scope | null;
}

export const TABLE: Source = { columns: new Map(), others: COLUMN, row: { ...COLUMN, times: 4 }, rows: 1 };
export const textOf = (node: unknown): string | undefined => (node as { String?: { sval?: string } }).String?.sval;
export const lastName = (nodes: unknown): string => textOf((nodes as unknown[]).at(-1)) ?? '';

/**
 * A column, or a whole row. Where no source surely has a column of that name, PostgreSQL may find it in any scope around: the widest of
 * all counts. A name with a source before it is looked for in the nearest of that name alone.
 */
export function reference(names: readonly (string | undefined)[], scope: Scope): Value {
  const name = names.at(-1);
  const of = names.length > 1 ? names[0] : undefined;
  const found = new Set<Value>();
  for (let at: Scope | null = scope; at; at = at.around) {
    const sources = at.sources.filter((one) => of === undefined || one.name === of).map(({ source }) => source);
    if (sources.length === 0) continue;
    if (name === undefined) return beside(sources.map(({ row }) => row));
    const known = sources.flatMap(({ columns }) => columns.get(name) ?? []);
    if (known.length > 0 && sources.length === 1) return only(found.add(known[0]!));
    const whole = of === undefined ? at.sources.find((one) => one.name === name)?.source : undefined;
    for (const value of [...known, ...sources.map(({ others }) => others), ...(whole ? [whole.row] : [])])
      found.add(value);
    if (of !== undefined) for (const source of sources) if (!source.columns.has(name)) called(source, name, found);
    if (known.length > 0 || of !== undefined) return only(found);
  }
  return only(found.add(COLUMN));
}

const only = (found: ReadonlySet<Value>): Value => (found.size === 1 ? [...found][0]! : widestOf([...found]));

/** Functions of one argument that take a row and may give more than it holds. */
const OF_ROWS = new Set(
  'to_json to_jsonb row_to_json json_agg jsonb_agg array_agg concat json_build_array jsonb_build_array any_value min max'.split(
    ' ',
  ),
);

/** PostgreSQL takes `source.f` for `f(source)` where it has no such column. */
function called({ isFunction, row }: Source, name: string, found: Set<Value>): void {
  if (isFunction ? FUNCTIONS.has(name) : OF_ROWS.has(name)) found.add((GROWTH.get(name) ?? together)([row]));
}

/** Of one among them, nobody knows which: not the work on all. */
export function widestOf(values: readonly Value[]): Value {
  return { ...widest(values), work: Math.max(...values.map(({ work }) => work)) };
}

export const largest = ({ columns, others }: Source): Value => widestOf([...columns.values(), others]);
/** With the names that the alias gives to its columns, the first ones. */
export function renamed(source: Source, colnames: unknown): Source {
  if (!colnames) return source;
  const value = largest(source);
  const names = (colnames as unknown[]).map((node) => textOf(node) ?? '');
  return { ...source, columns: new Map(names.map((name) => [name, value])), others: value };
}
export const merged = (sources: readonly Source[]): Source => ({
  columns: new Map(),
  others: widestOf(sources.map(largest)),
  row: beside(sources.map(({ row }) => row)),
  rows: 1,
});

export const isStar = (node: Tree): boolean =>
  ((node.ColumnRef as { fields?: Tree[] } | undefined)?.fields?.at(-1) as Tree | undefined)?.A_Star !== undefined;

/** What a `*` stands for: all of FROM, or the nearest of its name. */
export function starred(node: Tree, scope: Scope): readonly Source[] {
  const [of] = (node.ColumnRef as { fields: Tree[] }).fields.length > 1 ? namesIn(node) : [];
  if (of === undefined) return scope.sources.map(({ source }) => source);
  for (let at: Scope | null = scope; at; at = at.around) {
    const found = at.sources.filter(({ name }) => name === of).map(({ source }) => source);
    if (found.length > 0) return found;
  }
  return [TABLE];
}

const namesIn = (node: Tree): (string | undefined)[] => (node.ColumnRef as { fields: Tree[] }).fields.map(textOf);

/** The name of the only function of an item of FROM. */
export function onlyCall(functions: unknown): string | undefined {
  const [first, ...more] = functions as { List?: { items?: Tree[] } }[];
  const call = first?.List?.items?.[0]?.FuncCall as Tree | undefined;
  return call && more.length === 0 ? lastName(call.funcname) : undefined;
}

/** What PostgreSQL calls a column that has no name of its own. */
export function calledOf(node: Tree): string | undefined {
  if (node.ColumnRef) return textOf((node.ColumnRef as { fields: unknown[] }).fields.at(-1));
  if (node.FuncCall) return lastName((node.FuncCall as Tree).funcname);
  if (node.TypeCast) return calledOf((node.TypeCast as { arg: Tree }).arg);
  return undefined;
}
