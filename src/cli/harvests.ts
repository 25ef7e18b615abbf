/** `catalog harvest sources` and `catalog harvest runs`: harvest sources and their runs, through the graph. */
import {
  CommandHarvestRemarksDocument,
  CommandHarvestRunsDocument,
  CommandHarvestSourcesDocument,
} from '../generated/operations.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';
import { isoOf, upTo } from './every.ts';
import { limitOf, readArgs } from './options.ts';
import { printRows } from './print.ts';

export const sources: Command = async (args, context) => {
  const { values } = readArgs('harvest sources', args);
  const found = await withCatalog(context, ({ app }) =>
    upTo(
      limitOf(values.limit),
      async (page) => (await app.run(CommandHarvestSourcesDocument, page, app.callAs(operator))).harvestSources,
    ),
  );
  const rows = found.map(({ name, kind, url, every, userName, organizationName, runs }) => ({
    name,
    kind: kind.toLowerCase(),
    url,
    everyMinutes: every ?? null,
    user: userName ?? null,
    organization: organizationName ?? null,
    lastRun: runs.nodes[0]?.state.toLowerCase() ?? null,
    startedAt: isoOf(runs.nodes[0]?.startedAt),
  }));
  printRows(rows, values.json, 'No harvest source.');
};

export const runs: Command = async (args, context) => {
  const { values, words } = readArgs('harvest runs', args);
  const source = words[0]!;
  const limit = limitOf(values.limit);
  if (values.remarks) {
    const remarks = await withCatalog(context, ({ app }) =>
      upTo(limit, async (page) => {
        const found = await app.run(CommandHarvestRemarksDocument, { source, ...page }, app.callAs(operator));
        return found.harvestSource.runs.nodes[0]?.remarks ?? { nodes: [], pageInfo: { hasNextPage: false } };
      }),
    );
    return printRows(
      remarks.map(({ kind, ...rest }) => ({ ...rest, kind: kind.toLowerCase() })),
      values.json,
      'No remark.',
    );
  }
  const found = await withCatalog(context, ({ app }) =>
    upTo(
      limit,
      async (page) =>
        (await app.run(CommandHarvestRunsDocument, { source, ...page }, app.callAs(operator))).harvestSource.runs,
    ),
  );
  const rows = found.map(({ databaseId, state, startedAt, finishedAt, message, ...counts }) => ({
    id: databaseId,
    state: state.toLowerCase(),
    startedAt: isoOf(startedAt),
    finishedAt: isoOf(finishedAt),
    ...counts,
    message: message ?? null,
  }));
  printRows(rows, values.json, 'No run.');
};
