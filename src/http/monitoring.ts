/** Endpoints for monitoring, on the port of the site and on a port of their own. */
import { hash, timingSafeEqual } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Endpoint } from '../../facades/shared/endpoint.ts';
import { sendText } from '../../facades/shared/http.ts';
import type { Logger } from '../infra/log/log.ts';
import type { Settings } from '../kernel/settings.ts';
import type { Metrics } from '../monitor/metrics.ts';

export interface MonitoringOptions {
  readonly settings: Settings;
  readonly health: Endpoint;
  /** Null if the site publishes no metrics. */
  readonly metrics: Metrics | null;
  readonly log: Logger;
}

export interface Monitoring {
  /** Endpoints on the port of the site. */
  readonly endpoints: readonly Endpoint[];
  /** The server of the other port, which does not listen yet. Null without that port. */
  readonly server: http.Server | null;
}

const PLAIN = 'text/plain;charset=utf-8';

/** True if the site publishes metrics: on a port of their own, or for a token. */
export const hasMetrics = (settings: Settings): boolean =>
  settings['catalog.monitoring.port'] > 0 || settings['catalog.monitoring.token'] !== null;

export function createMonitoring({ settings, health, metrics, log }: MonitoringOptions): Monitoring {
  const endpoints = [health, ...(metrics ? [metricsEndpoint(metrics, settings['catalog.monitoring.token'])] : [])];
  if (settings['catalog.monitoring.port'] === 0) return { endpoints, server: null };
  const server = http.createServer((req, res) => {
    const endpoint = endpoints.find((it) => it.owns(req.url, req.method));
    if (!endpoint) return sendText(res, 404, PLAIN, 'Here are /livez, /readyz and /metrics.\n');
    endpoint.handle(req, res).catch((failure: unknown) => {
      log.error({ err: failure }, 'monitoring request failed');
      if (res.headersSent || res.destroyed) return void res.destroy();
      sendText(res, 500, PLAIN, 'The server failed. The failure was logged.\n');
    });
  });
  return { endpoints: [health], server };
}

function metricsEndpoint(metrics: Metrics, token: string | null): Endpoint {
  return {
    owns: (url = '') => /^\/metrics(?:\?|$)/.test(url),
    async handle(req: IncomingMessage, res: ServerResponse) {
      const headers = { 'cache-control': 'no-store' };
      if (req.method !== 'GET' && req.method !== 'HEAD')
        return sendText(res, 405, PLAIN, 'Only GET and HEAD are allowed.\n', { ...headers, allow: 'GET, HEAD' });
      if (token !== null && !isToken(req, token))
        return sendText(res, 401, PLAIN, 'Send the token of catalog.monitoring.token: `Authorization: Bearer …`.\n', {
          ...headers,
          'www-authenticate': 'Bearer realm="metrics"',
        });
      const { type, text } = await metrics.page();
      sendText(res, 200, type, text, headers);
    },
  };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares hashes, whose time does not depend on the token. */
function isToken({ headers: { authorization = '' } }: IncomingMessage, token: string): boolean {
  const [, sent] = /^Bearer +(.*)$/i.exec(authorization) ?? [];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}
