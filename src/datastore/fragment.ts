/** Builds SQL from literal texts, quoted names and bound values. Caller input never becomes SQL text. */
import type { Statement } from '../infra/postgres/db.ts';

/** A piece of SQL with its values at their positions. */
export class Fragment {
  readonly parts: readonly (string | Bound)[];
  constructor(parts: readonly (string | Bound)[]) {
    this.parts = parts;
  }
}

class Bound {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Template tag: its texts are SQL, embedded fragments are inserted, and every other value is bound. */
export function sql(texts: TemplateStringsArray, ...between: readonly unknown[]): Fragment {
  const parts: (string | Bound)[] = [texts[0]!];
  between.forEach((inner, index) => {
    if (inner instanceof Fragment) append(parts, inner.parts);
    else parts.push(new Bound(inner));
    append(parts, [texts[index + 1]!]);
  });
  return new Fragment(parts);
}

/** Adds parts, as one text where texts meet: a statement of many columns has few parts. */
function append(parts: (string | Bound)[], more: readonly (string | Bound)[]): void {
  for (const part of more) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
}

/** Quoted name of a table, column or alias. */
export const ident = (name: string): Fragment => new Fragment([`"${name.replaceAll('"', '""')}"`]);

/** A type that fields.rules.ts has parsed and PostgreSQL has recognized: words, digits, brackets. @throws Error for any other text */
export function typeText(text: string): Fragment {
  if (!/^[a-z_][a-z0-9_ ]*(\(\d+(,\d+)?\))?[a-z ]*(\[\d*\])*$/.test(text))
    throw new Error(`not the text of a type: ${text}`);
  return new Fragment([text]);
}

/** A caller's statement, already checked by statement.rules.ts. */
export const statementText = (text: string): Fragment => new Fragment([text]);

/** A quoted text literal, for the few statements that accept no bound values. */
export const literal = (text: string): Fragment =>
  new Fragment([
    text.includes('\\')
      ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
      : `'${text.replaceAll("'", "''")}'`,
  ]);

/** The fragment with its values as quoted literals, which PostgreSQL parses like bound text. For COPY, which accepts no bound values. */
export const inlined = ({ parts }: Fragment): Fragment =>
  new Fragment(parts.flatMap((part) => (part instanceof Bound ? quoted(part.value).parts : [part])));

function quoted(value: unknown): Fragment {
  if (value === null || value === undefined) return new Fragment(['NULL']);
  if (!Array.isArray(value)) return literal(String(value));
  const items = value.map((item) => (item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`));
  return literal(`{${items.join(',')}}`);
}

/** An integer as text, for positions, which cannot be bound. */
export const number = (value: number): Fragment => new Fragment([String(Math.trunc(value))]);

export const EMPTY = new Fragment([]);

/** Fragments joined by a literal text. */
export function joined(fragments: readonly Fragment[], between: ', ' | ' AND ' | ' OR ' | ' '): Fragment {
  const parts: (string | Bound)[] = [];
  fragments.forEach((fragment, index) => {
    if (index > 0) append(parts, [between]);
    append(parts, fragment.parts);
  });
  return new Fragment(parts);
}

/** Text and values for the database. `name` is put before the text as a comment, for logs. */
export function statementOf(name: string, fragment: Fragment): { statement: Statement; values: unknown[] } {
  const values: unknown[] = [];
  const text = fragment.parts.map((part) => (part instanceof Bound ? `$${values.push(part.value)}` : part)).join('');
  return { statement: { text: `/* ${name} */ ${text}` }, values };
}
