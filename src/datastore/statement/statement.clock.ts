/** Decides whether the result of a request can change although no table does. Pure. */
import { isTree, lastName } from './statement.names.ts';
import type { Tree } from './statement.parser.ts';

/** Words for times that PostgreSQL reads from texts. */
const WORDS = /now|today|tomorrow|yesterday/i;

/** Whether a text can hold a time that changes without a write. Lists and ranges in texts may quote and escape each letter. */
export const hasClockWord = (text: string): boolean => WORDS.test(text.replaceAll(/["\\]/g, ''));

/** Functions of the clock. Times of day with a zone depend on the date, `age` may, and `date` reads texts. */
const FUNCTIONS = /^(now|(statement|transaction|clock)_timestamp|age|timezone|date)$/;
/** Types whose values PostgreSQL reads from texts. */
const TIMES = /^(date|time|tsrange|tstzrange)/;
const ZONED = 'timetz';

/** Nodes that depend on the clock, apart from their parts. */
const CLOCKS: Readonly<Record<string, (parts: Tree) => boolean>> = {
  SQLValueFunction: () => true,
  A_Const: ({ sval }) => hasClockWord((sval as { sval?: string } | undefined)?.sval ?? ''),
  FuncCall: ({ funcname }) => FUNCTIONS.test(lastName(funcname)),
  TypeCast: ({ arg, typeName }) => {
    const type = lastName((typeName as Tree).names);
    // The text of a column may be such a word, and that of another type may become one. A constant's is checked as it is.
    return type === ZONED || (TIMES.test(type) && !isConstant(arg as Tree));
  },
};
const isConstant = ({ A_Const, TypeCast }: Tree): boolean =>
  A_Const !== undefined ||
  (isTree(TypeCast) && TIMES.test(lastName((TypeCast.typeName as Tree).names)) && isConstant(TypeCast.arg as Tree));

/** With a function in FROM, PostgreSQL reads `value.f` as `f(value)`. */
const CALLS: typeof CLOCKS = {
  ColumnRef: ({ fields }) => (fields as unknown[]).length > 1 && FUNCTIONS.test(lastName(fields)),
};
const SOURCES: typeof CLOCKS = { RangeFunction: () => true };

/** Whether an allowed statement depends on the clock, as far as its text shows. */
export const dependsOnClock = (tree: Tree): boolean => has(tree, CLOCKS) || (has(tree, SOURCES) && has(tree, CALLS));

/** Whether a node of the tree satisfies the test of its kind. */
function has(part: unknown, tests: typeof CLOCKS): boolean {
  if (Array.isArray(part)) return part.some((one) => has(one, tests));
  if (!isTree(part)) return false;
  return Object.entries(part).some(([kind, parts]) => {
    const test = Object.hasOwn(tests, kind) ? tests[kind] : undefined;
    return (test !== undefined && isTree(parts) && test(parts)) || has(parts, tests);
  });
}
