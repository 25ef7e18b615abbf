/** docs/actions.md, written from the action table. Run `node scripts/docs-actions.mjs` after changing a row. */
import { example, type Row, type Table } from './help.ts';
import type { Param } from './params.ts';

const HEAD = `# Actions

Written by \`node scripts/docs-actions.mjs\` from the action table; a test compares the two. Do not edit.

Every action answers at \`/api/3/action/<name>\` and \`/api/action/<name>\`. Read actions take GET and POST, write actions POST.
\`dataset_*\` is another name of \`package_*\`. \`help_show\` answers the same as this page, one action at a time.
`;

/** The whole page: an overview, then one section per action, by name. */
export function actionsPage(actions: Table): string {
  const rows = Object.entries(actions).sort(([a], [b]) => (a < b ? -1 : 1));
  const overview = rows.map(([name, row]) => `| [${name}](#${name}) | ${row.kind} | ${cell(row.summary)} |`);
  return [
    HEAD,
    '| Action | Kind | What it does |',
    '| --- | --- | --- |',
    ...overview,
    '',
    ...rows.map(([name, row]) => section(name, row)),
  ].join('\n');
}

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
    `**Returns:** ${row.returns}`,
    '',
    `**Example:** \`${example(name, row, '')}\``,
    '',
  ].join('\n');
}

function paramRow([name, { type, required, default: otherwise, about, deprecated }]: [string, Param<unknown>]): string {
  const whenLeftOut = required ? '*required*' : (otherwise ?? '');
  return `| ${name} | ${cell(type)} | ${cell(whenLeftOut)} | ${deprecated ? '*Deprecated.* ' : ''}${cell(about)} |`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
