/** Mounts `/changes`. */
import { randomUUID } from 'node:crypto';
import type { Application, CommonDeps } from '../shared/mount.ts';
import { createFeed, type FeedOptions } from './router.ts';

export type FeedDeps = CommonDeps & Pick<FeedOptions, 'subscriptions'>;

export function mount(app: Application, { log, run, callers, subscriptions }: FeedDeps): void {
  const onDefect = (thrown: unknown) => log.error({ err: thrown, id: randomUUID() }, 'the change feed failed');
  app.endpoints.push(createFeed({ run, subscriptions, callFor: callers.callFor, onDefect }));
}
