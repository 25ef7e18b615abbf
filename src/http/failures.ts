/** Responses of the application itself: CORS preflights and failures. */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { JSX } from 'preact';
import { CORS, preflight, retryHeader } from '../../facades/shared/http.ts';
import { pathOfSite } from '../../facades/shared/slash.ts';
import { sendPage } from '../../facades/web/site/answer.ts';
import type { Frame } from '../../facades/web/site/frame.ts';
import { languageOf } from '../../facades/web/site/language.ts';
import { errorPage, messagePage } from '../../facades/web/site/message.tsx';
import { anonymousFrame, frameOptions } from '../../facades/web/site/visit.ts';
import { asRefusal } from '../infra/postgres/failures.ts';
import { CatalogError } from '../kernel/errors.ts';
import { requestIdOf } from '../kernel/request.ts';
import type { Settings } from '../kernel/settings.ts';

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
  (failure: unknown, req, res, next) => {
    if (failure instanceof URIError && !res.headersSent)
      return answer({ log, settings }, req, res, 400, said('BAD_ADDRESS'));
    const requestId = requestIdOf(req);
    const thrown = asRefusal(failure, log.child({ requestId }));
    const isDown = thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE';
    if (!isDown || res.headersSent) log.error({ err: failure, requestId }, 'request failed');
    if (res.headersSent) return next(failure);
    if (isDown) return answer({ log, settings }, req, res, 503, (frame) => errorPage(frame, thrown));
    answer({ log, settings }, req, res, 500, said('FAILED'));
  };

const said =
  (kind: 'BAD_ADDRESS' | 'FAILED') =>
  (frame: Frame): JSX.Element =>
    messagePage(frame, frame.texts.t(`error.${kind}`), frame.texts.t(`error.${kind}_text`));

/** Sends a page that needs no data. */
function answer(
  { log, settings }: FailureOptions,
  req: Request,
  res: Response,
  status: number,
  page: (frame: Frame) => JSX.Element,
): void {
  const options = frameOptions(settings, log);
  const { texts, languages, vary } = languageOf(req, options);
  sendPage(res, status, page(anonymousFrame(options, { texts, languages })), {
    headers: { ...CORS, ...retryHeader(res, status) },
    root: pathOfSite(options.siteUrl),
    prefix: languages.prefix,
    ...{ texts, vary },
  });
}
