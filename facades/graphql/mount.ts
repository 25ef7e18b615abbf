/** Mounts `/graphql`, over HTTP and WebSocket. */
import { randomUUID } from 'node:crypto';
import type { GraphServer } from '../../src/graph/server.ts';
import type { Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { bodyLimits } from '../shared/bodies.ts';
import type { Application, CommonDeps } from '../shared/mount.ts';
import { createGraphql, type GraphqlOptions, isGraphql } from './handler.ts';
import { createSockets, type SocketOptions } from './sockets.ts';

export interface GraphqlDeps extends CommonDeps {
  readonly graph: GraphServer;
  readonly subscriptions: Subscriptions;
  readonly callers: CommonDeps['callers'] &
    Pick<SocketOptions, 'keyHeaders' | 'networkOf'> & { graphqlCallFor: GraphqlOptions['callFor'] };
}

export function mount(app: Application, { settings, log, graph, subscriptions, callers }: GraphqlDeps): void {
  const common = { server: graph, subscriptions, callFor: callers.graphqlCallFor };
  const endpoint = createGraphql({
    ...common,
    limits: bodyLimits(settings),
    keyHeader: settings.apikey_header_name,
    page: (req, res) => app.graphqlPage(req, res),
  });
  const sockets = createSockets({
    ...common,
    keyHeaders: callers.keyHeaders,
    siteUrl: settings['catalog.site_url'],
    max: settings['catalog.limits.sockets'],
    networkOf: callers.networkOf,
    maxPerCaller: settings['catalog.limits.streams_per_caller'],
    values: settings['catalog.limits.json_values'],
    onDefect: (thrown) => log.error({ err: thrown, id: randomUUID() }, 'a WebSocket failed'),
  });
  app.endpoints.push(endpoint);
  app.upgrades.push({ owns: isGraphql, ...sockets });
}
