import type { Resolvers, WebhookState } from '../generated/graph.ts';
import { connectionResolvers } from '../kernel/connection.ts';
import { created } from '../kernel/idempotency.ts';
import { asId, toGlobalId } from '../kernel/ids.ts';
import { lookUp } from '../kernel/look-up.ts';
import { payload } from '../kernel/mutation.ts';
import type { NodeReaders } from '../kernel/node.ts';
import { deadLettersOf, redeliver } from './dead-letter.service.ts';
import { webhookPing } from './ping.service.ts';
import {
  cursorAt,
  previousSecretUntil,
  typesOf,
  webhookConnection,
  webhookCreate,
  webhookDelete,
  webhookNodes,
  webhookRotate,
  webhookShow,
  webhookUpdate,
} from './webhook.service.ts';

export const webhookResolvers: Resolvers = {
  Query: {
    webhooks: (_root, args, { call }) => webhookConnection(call, args),
    webhook: (_root, { id, databaseId }, { call }) => lookUp({ id, databaseId }, (by) => webhookShow(call, by)),
  },
  Mutation: {
    createWebhook: created('createWebhook', 'webhook', webhookCreate, webhookNodes),
    updateWebhook: payload('webhook', (call, { input }) => webhookUpdate(call, input)),
    deleteWebhook: payload('deletedId', (call, { input }) => asId('Webhook', webhookDelete(call, input))),
    rotateWebhookSecret: payload('webhook', (call, { input }) => webhookRotate(call, input)),
    redeliverWebhook: payload('webhook', (call, { input }) => redeliver(call, input)),
    pingWebhook: payload('ping', (call, { input }) => webhookPing(call, input)),
  },
  Webhook: {
    id: ({ id }) => toGlobalId('Webhook', id),
    databaseId: ({ id }) => id,
    secret: ({ newSecret }) => newSecret ?? null,
    types: typesOf,
    previousSecretUntil: (webhook, _args, { call }) => previousSecretUntil(webhook, call.request.now),
    behind: ({ cursor }, _args, { loaders }) => loaders.changesAfter.load(cursor),
    owner: ({ userId }, _args, { loaders }) => loaders.userById.load(userId),
    state: ({ state }) => state.toUpperCase() as WebhookState,
    stateReason: ({ reason }) => reason,
    cursor: ({ cursor }) => cursorAt(cursor),
    failuresInARow: ({ failures }) => failures,
    nextTryAt: ({ dueAt }) => dueAt,
    deadLetters: (webhook, args, { call, loaders }) => deadLettersOf(call, loaders, webhook, args),
  },
  WebhookDeadLetter: {
    messageId: ({ id }) => id,
    after: ({ startPlace }) => cursorAt(Number(startPlace)),
    until: ({ endPlace }) => cursorAt(Number(endPlace)),
    changeCount: ({ changes }) => changes,
  },
  WebhookConnection: connectionResolvers,
  WebhookDeadLetterConnection: connectionResolvers,
};

export const webhookNodeReaders: NodeReaders = { Webhook: webhookNodes };
