/** `catalog webhooks …`: webhooks and their dead letters, through the graph. */
import {
  CommandDeadLettersDocument,
  CommandRedeliverDocument,
  CommandWebhookChangeDocument,
  CommandWebhooksDocument,
} from '../generated/operations.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { isoOf, upTo } from './every.ts';
import { limitOf, readArgs } from './options.ts';
import { printRows } from './print.ts';

export const list: Command = async (args, context) => {
  const { values } = readArgs('webhooks list', args);
  const found = await withCatalog(context, ({ app }) =>
    upTo(limitOf(values.limit), async (page) => {
      const variables = { user: values.user ?? null, ...page };
      return (await app.run(CommandWebhooksDocument, variables, app.callAs(operator))).webhooks;
    }),
  );
  const rows = found.map((webhook) => ({
    id: webhook.databaseId,
    name: webhook.name,
    url: webhook.url,
    state: webhook.state.toLowerCase(),
    behind: Number(webhook.behind),
    deadLetters: webhook.deadLetters.totalCount,
    failuresInARow: webhook.failuresInARow,
    lastStatus: webhook.lastStatus ?? null,
    problem: webhook.stateReason ?? webhook.lastError ?? null,
  }));
  printRows(rows, values.json, 'No webhook.');
};

export const deadLetters: Command = async (args, context) => {
  const { values, words } = readArgs('webhooks dead-letters', args);
  const found = await withCatalog(context, ({ app }) =>
    upTo(limitOf(values.limit), async (page) => {
      const variables = { webhook: words[0]!, ...page };
      return (await app.run(CommandDeadLettersDocument, variables, app.callAs(operator))).webhook.deadLetters;
    }),
  );
  const rows = found.map(({ messageId, changeCount, attempts, status, error, createdAt, isQueued }) => ({
    message: messageId,
    changes: changeCount,
    attempts,
    status: status ?? null,
    createdAt: isoOf(createdAt),
    isQueued,
    error: error ?? null,
  }));
  printRows(rows, values.json, 'No dead letter.');
};

export const redeliver: Command = async (args, context) => {
  const { values, words } = readArgs('webhooks redeliver', args);
  const [webhook = '', ...messages] = words;
  if (messages.length > 0 === (values.all === true))
    throw new UsageError('Give ids of messages, or --all for all dead letters. Not both.');
  const choice = values.all ? { since: new Date(0).toISOString() } : { messages };
  await withCatalog(context, ({ app }) =>
    app.run(CommandRedeliverDocument, { input: { webhook, ...choice } }, app.callAs(operator)),
  );
  console.log(`${values.all ? 'All' : messages.length} dead letters are queued. A running server sends them.`);
};

async function setPaused(context: CommandContext, webhook: string, paused: boolean): Promise<void> {
  const { updateWebhook } = await withCatalog(context, ({ app }) =>
    app.run(CommandWebhookChangeDocument, { input: { webhook, paused } }, app.callAs(operator)),
  );
  console.log(`${updateWebhook.webhook?.name} is ${updateWebhook.webhook?.state.toLowerCase()}.`);
}

export const pause: Command = async (args, context) =>
  setPaused(context, readArgs('webhooks pause', args).words[0]!, true);

export const resume: Command = async (args, context) =>
  setPaused(context, readArgs('webhooks resume', args).words[0]!, false);
