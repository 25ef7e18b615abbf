/** The HTTP server: requests to endpoints and facades, WebSockets, and the end of both. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { sendText } from '../../facades/shared/http.ts';
import { noteFacade } from '../../facades/shared/operation.ts';
import { requestIdOf } from '../kernel/request.ts';
import type { Recorder } from '../operations/recorder.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { closingOf } from './closing.ts';
import { type FacadeOptions, mountFacades } from './facades.ts';
import { faultOfHead, refuseHead, refuseUpgrade } from './head.ts';
import { answerPlainly, wantsWebSocket } from './upgrade.ts';
import { watch } from './watch.ts';

/** Timeout in ms for sending a request: the largest file over a slow line. */
const REQUEST_TIMEOUT = 60 * 60 * 1000;
/** ms that an idle connection stays open. Longer than in common proxies, so that none sends into a closing connection. */
const KEEP_ALIVE = 75 * 1000;
/** Timeout in ms for the headers of a request; more than KEEP_ALIVE, or idle connections would end by it. */
const HEADERS_TIMEOUT = 80 * 1000;

export interface HttpServer {
  readonly server: http.Server;
  /** Stops accepting requests and waits for running ones. */
  close(): Promise<unknown>;
}

/** The server with every facade; it does not listen yet. */
export function createHttpServer(
  options: FacadeOptions & { readonly recorder: Recorder; readonly tracer: Tracer | null },
): HttpServer {
  const { log, callers, recorder, tracer, settings } = options;
  const watching = {
    recorder,
    tracer,
    isLogged: settings['catalog.log_requests'],
    hasTiming: settings['catalog.server_timing'],
  };
  const { endpoints, upgrades, web, facadeOf } = mountFacades(options);
  const timeouts = { requestTimeout: REQUEST_TIMEOUT, keepAliveTimeout: KEEP_ALIVE, headersTimeout: HEADERS_TIMEOUT };
  const server = http.createServer(timeouts, (req: IncomingMessage, res: ServerResponse) => {
    closing.begins(res);
    watch(watching, req, res);
    const fault = faultOfHead(req);
    if (fault !== null) return refuseHead(req, res, fault);
    callers.begins(req, res);
    const endpoint = endpoints.find((it) => it.owns(req.url, req.method));
    if (!endpoint) return void web(req, res);
    noteFacade(req, facadeOf.get(endpoint) as string);
    endpoint.handle(req, res).catch((failure: unknown) => {
      log.error({ err: failure, requestId: requestIdOf(req) }, 'request failed');
      if (res.headersSent || res.destroyed) return void res.destroy();
      sendText(res, 500, 'text/plain;charset=utf-8', 'The server failed. The failure was logged.\n');
    });
  });
  const closing = closingOf(server);
  server.on('upgrade', (req, connection, head) => {
    const fault = faultOfHead(req);
    if (fault !== null) return refuseUpgrade(connection, fault);
    const upgrade = wantsWebSocket(req) ? upgrades.find((it) => it.owns(req.url)) : undefined;
    if (upgrade) upgrade.upgrade(req, connection, head);
    else answerPlainly(server, req, connection, head);
  });
  return { server, close: () => Promise.all([closing.close(), ...upgrades.map((it) => it.close())]) };
}
