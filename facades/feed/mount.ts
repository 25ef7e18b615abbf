/** Mounts `/changes`. */
import { namedBy } from '../../src/kernel/request.ts';
import type { Application, CommonDeps } from '../shared/mount.ts';
import { createFeed, type FeedOptions } from './router.ts';

export type FeedDeps = CommonDeps & Pick<FeedOptions, 'subscriptions'>;

export function mount(app: Application, { log, run, callers, subscriptions }: FeedDeps): void {
  const onDefect: FeedOptions['onDefect'] = (thrown, req) =>
    log.error({ err: thrown, ...namedBy(req) }, 'the change feed failed');
  app.endpoints.push(createFeed({ run, subscriptions, callFor: callers.callFor, onDefect }));
}
