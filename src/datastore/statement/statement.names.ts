/** Resolves names in a statement as PostgreSQL does: as a column of FROM or WITH in this or an outer scope, or as a function of a row. Pure. */
import { FUNCTIONS } from './statement.allowed.ts';
import { beside, COLUMN, GROWTH, together, type Value, widest } from './statement.growth.ts';
import type { Tree } from './statement.parser.ts';

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** An item of FROM or WITH: its columns by name where names are known, and the largest of the others. */
export interface Source {
  readonly columns: ReadonlyMap<string, Value>;
  readonly others: Value;
  readonly row: Value;
  /** Product of the row counts of its series. */
  readonly rows: number;
  /** Whether a function in FROM produces it. Its rows may then be single values. */
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
 * Resolves a column or a whole row. When no source surely has the column, PostgreSQL may find it in any outer scope, so the largest
 * candidate counts. A qualified name is searched in the nearest source of that name only.
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

/** Functions of one argument that accept a row and may return more than it holds. */
const OF_ROWS = new Set(
  'to_json to_jsonb row_to_json json_agg jsonb_agg array_agg concat json_build_array jsonb_build_array any_value min max'.split(
    ' ',
  ),
);

/** PostgreSQL reads `source.f` as `f(source)` when no such column exists. */
function called({ isFunction, row }: Source, name: string, found: Set<Value>): void {
  if (isFunction ? FUNCTIONS.has(name) : OF_ROWS.has(name)) found.add((GROWTH.get(name) ?? together)([row]));
}

/** The largest of several candidates, of which one applies. Their work is not added up. */
function widestOf(values: readonly Value[]): Value {
  return { ...widest(values), work: Math.max(...values.map(({ work }) => work)) };
}

export const largest = ({ columns, others }: Source): Value => widestOf([...columns.values(), others]);
/** The source with its first columns renamed by an alias. */
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

/** Sources that a `*` expands to: all of FROM, or the nearest with its qualifier. */
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

/** Name of the only function of a FROM item. */
export function onlyCall(functions: unknown): string | undefined {
  const [first, ...more] = functions as { List?: { items?: Tree[] } }[];
  const call = first?.List?.items?.[0]?.FuncCall as Tree | undefined;
  return call && more.length === 0 ? lastName(call.funcname) : undefined;
}

/** PostgreSQL's name for a column without an alias. */
export function calledOf(node: Tree): string | undefined {
  if (node.ColumnRef) return textOf((node.ColumnRef as { fields: unknown[] }).fields.at(-1));
  if (node.FuncCall) return lastName((node.FuncCall as Tree).funcname);
  if (node.TypeCast) return calledOf((node.TypeCast as { arg: Tree }).arg);
  return undefined;
}
