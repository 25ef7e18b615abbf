/** Generates docs/actions.md from the action table. Run `node scripts/docs-actions.mjs` after changing an action. */
import { alternatives, example, type Row, type Table } from './help.ts';
import type { Param } from './params.ts';
import { NOT_OFFERED, NOT_YET } from './reference.ts';

const HEAD = `# Actions

\`node scripts/docs-actions.mjs\` writes this page from the action table, and a test compares them. Do not edit it.

Each action has the URLs \`/api/3/action/<name>\` and \`/api/action/<name>\`. Read actions accept GET and POST, write actions
POST.
\`dataset_*\` is an alias of \`package_*\`. \`help_show\` returns the section of one action.
The last column compares each action with CKAN 2.4: the same, different on purpose, added, or not offered.
[errors.md](errors.md) and [differences.md](differences.md) describe statuses, errors, lists and flags of all actions.
`;

/** The whole page: an overview of all actions of the reference and of this catalog, then one section per action. */
export function actionsPage(actions: Table, reference: readonly string[]): string {
  const rows = Object.entries(actions).sort(([a], [b]) => (a < b ? -1 : 1));
  const known = new Set(reference);
  const overview = [
    ...rows.map(([name, row]) => [
      name,
      `[${name}](#${name}) | ${row.kind} | ${cell(row.summary)}`,
      compared(row, known.has(name)),
    ]),
    ...reference.filter((name) => !Object.hasOwn(actions, name)).map((name) => [name, `${name} | |`, absent(name)]),
    ...Object.keys(NOT_OFFERED)
      .filter((name) => !known.has(name))
      .map((name) => [name, `${name} | |`, absent(name)]),
  ].sort(([a], [b]) => (a! < b! ? -1 : 1));
  return [
    HEAD,
    '| Action | Kind | What it does | Compared with CKAN 2.4 |',
    '| --- | --- | --- | --- |',
    ...overview.map(([, columns, verdict]) => `| ${columns} | ${verdict} |`),
    '',
    ...rows.map(([name, row]) => section(name, row)),
  ].join('\n');
}

const compared = ({ differs }: Row, known: boolean): string =>
  known ? (differs ? `differs: ${cell(differs)}` : 'same') : 'added';

const absent = (name: string): string =>
  Object.hasOwn(NOT_OFFERED, name)
    ? `not offered: ${cell(NOT_OFFERED[name]!)}`
    : `not yet: comes with ${NOT_YET[name]}`;

function section(name: string, row: Row): string {
  const params = Object.entries(row.params as Record<string, Param<unknown>>);
  return [
    `## ${name}`,
    '',
    row.summary,
    '',
    ...(row.deprecated ? [`**Deprecated:** ${row.deprecated}`, ''] : []),
    ...(params.length > 0
      ? ['| Parameter | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...params.map(paramRow), '']
      : []),
    ...(row.anyOf ? [`**One of these must be given:** ${alternatives(row, (name) => `\`${name}\``)}.`, ''] : []),
    `**Returns:** ${row.returns}`,
    '',
    ...(row.differs ? [`**Compared with CKAN 2.4:** ${row.differs}`, ''] : []),
    `**Example:** \`${example(name, row, '')}\``,
    '',
  ].join('\n');
}

function paramRow([name, { type, required, default: otherwise, about, deprecated }]: [string, Param<unknown>]): string {
  const whenLeftOut = required ? '*required*' : (otherwise ?? '');
  return `| ${name} | ${cell(type)} | ${cell(whenLeftOut)} | ${deprecated ? '*Deprecated.* ' : ''}${cell(about)} |`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
