/** Help texts, written from the rows of the action table: help_show and docs/actions.md say the same. */
import type { Action, Special } from './define.ts';
import type { Param } from './params.ts';

export type Row = Action | Special;
export type Table = Readonly<Record<string, Row>>;

/** The row of an action, or null when no action is called so. `dataset_*` is an alias of `package_*` (ruling 6). */
export function findAction(actions: Table, name: string): Row | null {
  if (Object.hasOwn(actions, name)) return actions[name]!;
  const alias = name.startsWith('dataset_') ? `package_${name.slice('dataset_'.length)}` : name;
  return Object.hasOwn(actions, alias) ? actions[alias]! : null;
}

/** The sets of which one must be given, in words: `id; or entity_id, task_type and key`. Null where there are none. */
export const alternatives = ({ anyOf }: Row, quoted = (name: string): string => name): string | null =>
  anyOf
    ?.map((names) =>
      names
        .map(quoted)
        .join(', ')
        .replace(/, ([^,]*)$/, ' and $1'),
    )
    .join('; or ') ?? null;

/** Everything a caller needs to know of an action, as plain text. */
export function helpText(name: string, row: Row, siteUrl: string): string {
  const params = Object.entries(row.params as Record<string, Param<unknown>>);
  const blocks = [
    `${name}: ${row.summary}`,
    ...(row.deprecated ? [`Deprecated: ${row.deprecated}`] : []),
    params.length === 0
      ? 'Parameters: none.'
      : `Parameters:\n${params.map(([key, param]) => `  ${key} (${remarks(param)}): ${param.about}`).join('\n')}`,
    ...(row.anyOf ? [`One of these must be given: ${alternatives(row)}.`] : []),
    `Returns: ${row.returns}`,
    ...(row.differs ? [`Other than in CKAN 2.4: ${row.differs}`] : []),
    `Example: ${example(name, row, siteUrl)}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** A request that gives what is required: GET for reads, POST with a JSON body for writes. */
export function example(name: string, row: Row, siteUrl: string): string {
  const url = `${siteUrl}/api/3/action/${name}`;
  const needed = neededParams(row);
  if (row.kind === 'write')
    return `POST ${url} {${needed.map(([key, param]) => `"${key}": ${placeholder(key, param)}`).join(', ')}}`;
  const query = needed.map(([key]) => `${key}=<${key}>`).join('&');
  return `GET ${url}${query && `?${query}`}`;
}

/** What must be given: what is required, and the first set of those of which one must be. */
export const neededParams = ({ params, anyOf: [first = []] = [] }: Row): [string, Param<unknown>][] =>
  Object.entries(params as Record<string, Param<unknown>>).filter(
    ([name, param]) => param.required || first.includes(name),
  );

/** Type, whether it must be given, its default, and whether it is deprecated. */
function remarks({ type, required, default: otherwise, deprecated }: Param<unknown>): string {
  const parts = [type, required ? 'required' : 'optional'];
  if (otherwise !== undefined) parts.push(`default ${otherwise}`);
  if (deprecated) parts.push('deprecated');
  return parts.join(', ');
}

const placeholder = (key: string, { type }: Param<unknown>): string =>
  type.startsWith('list')
    ? '[…]'
    : type.startsWith('dict')
      ? '{…}'
      : type === 'int' || type === 'bool'
        ? `<${key}>`
        : `"<${key}>"`;
