/** Builds help texts from the action table, for help_show and docs/actions.md. */
import type { Action, Special } from './define.ts';
import type { Param } from './params.ts';

export type Row = Action | Special;
export type Table = Readonly<Record<string, Row>>;

/** The action of this name; null when unknown. `dataset_*` is an alias of `package_*` (ruling 6). */
export function findAction(actions: Table, name: string): Row | null {
  if (Object.hasOwn(actions, name)) return actions[name]!;
  const alias = name.startsWith('dataset_') ? `package_${name.slice('dataset_'.length)}` : name;
  return Object.hasOwn(actions, alias) ? actions[alias]! : null;
}

/** The alternative parameter sets as text: `id; or entity_id, task_type and key`. Null when there are none. */
export const alternatives = ({ anyOf }: Row, quoted = (name: string): string => name): string | null =>
  anyOf
    ?.map((names) =>
      names
        .map(quoted)
        .join(', ')
        .replace(/, ([^,]*)$/, ' and $1'),
    )
    .join('; or ') ?? null;

/** Complete help of an action, as plain text. */
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
    ...(row.differs ? [`Different from CKAN 2.4: ${row.differs}`] : []),
    `Example: ${example(name, row, siteUrl)}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Example request with the required parameters: GET for reads, POST with a JSON body for writes. */
export function example(name: string, row: Row, siteUrl: string): string {
  const url = `${siteUrl}/api/3/action/${name}`;
  const needed = neededParams(row);
  if (row.kind === 'write')
    return `POST ${url} {${needed.map(([key, param]) => `"${key}": ${placeholder(key, param)}`).join(', ')}}`;
  const query = needed.map(([key]) => `${key}=<${key}>`).join('&');
  return `GET ${url}${query && `?${query}`}`;
}

/** The required parameters, plus the first of the alternative sets. */
export const neededParams = ({ params, anyOf: [first = []] = [] }: Row): [string, Param<unknown>][] =>
  Object.entries(params as Record<string, Param<unknown>>).filter(
    ([name, param]) => param.required || first.includes(name),
  );

/** Type, required or optional, default, and deprecation. */
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
