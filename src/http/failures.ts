/** Responses of the application itself: CORS preflights and failures. */
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { CORS, preflight, retryHeader } from '../../facades/shared/http.ts';
import { pathOfSite } from '../../facades/shared/slash.ts';
import { sendPage } from '../../facades/web/site/answer.ts';
import { messagePage } from '../../facades/web/site/message.tsx';
import { anonymousFrame } from '../../facades/web/site/visit.ts';
import { asRefusal } from '../infra/postgres/failures.ts';
import type { Settings } from '../kernel/config.ts';
import { CatalogError } from '../kernel/errors.ts';

/** Answers OPTIONS for every address. */
export const answerPreflight =
  (keyHeader: string): RequestHandler =>
  (req, res, next) => {
    if (req.method !== 'OPTIONS') return next();
    res.set(preflight(keyHeader));
    res.status(200).type('text/html').end();
  };

export interface FailureOptions {
  readonly log: Logger;
  readonly settings: Settings;
}

/** Answers failures of facades: 400 for malformed URLs, 503 while a component is down, else 500. */
export const answerFailure =
  ({ log, settings }: FailureOptions): ErrorRequestHandler =>
  (failure: unknown, _req, res, next) => {
    if (failure instanceof URIError && !res.headersSent) {
      const page = '<!doctype html><title>Bad request</title><h1>The address is not encoded as addresses are.</h1>';
      return void res.set(CORS).status(400).type('text/html').send(page);
    }
    const thrown = asRefusal(failure, log);
    const isDown = thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE';
    if (!isDown || res.headersSent) log.error({ err: failure }, 'request failed');
    if (res.headersSent) return next(failure);
    if (isDown) {
      const frame = anonymousFrame({
        siteTitle: () => settings['catalog.site_title'],
        siteUrl: settings['catalog.site_url'],
        registration: settings['catalog.auth.create_user_via_web'],
      });
      return sendPage(res, 503, messagePage(frame, 'Not available', thrown.message), {
        headers: { ...CORS, ...retryHeader(res, 503) },
        root: pathOfSite(settings['catalog.site_url']),
      });
    }
    res
      .set(CORS)
      .status(500)
      .type('text/html')
      .send('<!doctype html><title>Error</title><h1>The server failed. The failure was logged.</h1>');
  };
