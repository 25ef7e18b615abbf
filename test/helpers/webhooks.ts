/** A catalog that delivers webhooks, a receiver, and helpers for tests of webhooks. */
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Settings } from '../../src/kernel/settings.ts';
import type { TestUser } from './make.ts';
import { createReceiver } from './receiver.ts';
import { until } from './until.ts';
import { createWorld, type WorldOptions } from './world.ts';

export type WebhookScene = Awaited<ReturnType<typeof createWebhookScene>>;

const STATE = `state stateReason behind lastSuccessAt lastFailureAt lastStatus lastError failuresInARow nextTryAt
  deadLetters { totalCount nodes { messageId after until changeCount attempts status error isQueued } }`;

async function createWebhookScene(overrides: Partial<Settings>, options: WorldOptions) {
  const receiver = await createReceiver();
  const settings: Partial<Settings> = {
    'catalog.webhooks.allowed_hosts': [receiver.host],
    'catalog.webhooks.pause': 0,
    'catalog.webhooks.attempts': 3,
    'catalog.webhooks.dead_letters': 3,
    ...overrides,
  };
  const world = await createWorld(settings, options);
  const [admin, ann] = await Promise.all([world.make.sysadmin(), world.make.user()]);
  const office = await world.make.organization({ name: 'office', members: { [ann.id]: 'member' } });
  const dispatcher = await world.app.startDispatcher();

  async function graph(query: string, variables: object = {}, as: TestUser = ann): Promise<any> {
    const { body, text } = await world.graph(query, { ...variables }, { as });
    if (body.errors) throw new Error(`${query} ${JSON.stringify(variables)}\nanswered ${text.slice(0, 1000)}`);
    return body.data;
  }
  async function mutate(mutation: string, input: object, what: string, as = ann): Promise<any> {
    const Name = mutation[0]!.toUpperCase() + mutation.slice(1);
    const query = `mutation ($input: ${Name}Input!) { it: ${mutation}(input: $input) { ${what} errors { message path } } }`;
    const { it: answered } = await graph(query, { input }, as);
    if (answered.errors.length > 0)
      throw new Error(`${mutation} ${JSON.stringify(input)}: ${JSON.stringify(answered)}`);
    return answered;
  }
  const show = async (id: string, as = ann): Promise<any> =>
    (await graph(`{ webhook(databaseId: "${id}") { ${STATE} } }`, {}, as)).webhook;
  return {
    receiver,
    world,
    admin,
    ann,
    office,
    graph,
    mutate,
    show,
    async hook(input: object = {}, as = ann): Promise<{ databaseId: string; secret: string }> {
      const what = 'webhook { databaseId secret }';
      return (await mutate('createWebhook', { url: receiver.url, ...input }, what, as)).webhook;
    },
    update: (webhook: string, input: object, as = ann) =>
      mutate('updateWebhook', { webhook, ...input }, 'webhook { state }', as),
    /** Waits until all pending changes of the webhook are processed. */
    settled: (id: string, as = ann) =>
      until(
        async () => {
          const now = await show(id, as);
          return now.behind === 0 && now;
        },
        async () => ({ webhook: await show(id, as), received: receiver.received }),
      ),
    dataset: (name: string, more: object = {}): Promise<{ id: string }> => world.make.dataset({ name, ...more }),
    /** For use after each test: deletes all webhooks, and resets the receiver to accept everything. */
    async clear() {
      await world.database.db.webhook.deleteMany();
      receiver.received.length = 0;
      receiver.answer = () => ({ status: 204 });
    },
    async end() {
      await dispatcher.stop();
      await world.end();
      await receiver.end();
    },
  };
}

/** Makes a scene before the tests of a file, clears it after each, and ends it after all. */
export function withWebhooks(
  take: (scene: WebhookScene) => void,
  overrides: Partial<Settings> = {},
  options: WorldOptions = {},
): void {
  let scene: WebhookScene;
  beforeAll(async () => {
    scene = await createWebhookScene(overrides, options);
    take(scene);
  });
  afterEach(() => scene.clear());
  afterAll(() => scene.end());
}

export const changesOf = (messages: readonly { body: any }[]): any[] =>
  messages.flatMap(({ body }) => body.data.changes);
export const namesOf = (messages: readonly { body: any }[]): string[] => changesOf(messages).map(({ name }) => name);
