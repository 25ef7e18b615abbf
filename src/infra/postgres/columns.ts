/** Fragments of statements. */
import { columnOf } from '../../kernel/text.ts';

/** Columns of a flat Prisma select under the names of their fields; `of` is the alias of their table. */
export const columnsOf = (fields: object, of?: string): string =>
  Object.keys(fields)
    .map((field) => `${of ? `${of}.` : ''}${columnOf(field)} AS "${field}"`)
    .join(', ');

/**
 * A parameter with a value that the planner does not see. If it saw that a list has one item, not ten as it assumes, or that
 * a filter is not used, it would prefer a plan for these values and plan at every run: twice the CPU of PostgreSQL or more.
 * Not for ranges of an index, which the planner takes for a third of the table, unless another condition leaves few rows;
 * not for limits of a list of all rows, which it takes for a tenth of them; and not for lists that many rows are compared
 * with: only a list that it sees is hashed.
 */
export const hidden = (parameter: string, type: string): string => `(SELECT ${parameter}::${type})::${type}`;

/** A statement with all its typed parameters hidden. */
export const withHidden = (text: string): string =>
  text.replace(/(\$\d+)::(\w+(?:\[\])?)/g, (_, parameter, type) => hidden(parameter, type));
