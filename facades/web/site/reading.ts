/** Handles requests for public texts: feeds and site maps. They never depend on the reader. */
import type { Request, RequestHandler, Response } from 'express';
import type { RunOperation } from '../../../src/graph/run.ts';
import type { Call } from '../../../src/kernel/call.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import { CORS, retryHeader, sendText } from '../../shared/http.ts';
import { sendPieces } from '../../shared/pieces.ts';
import { STATUS } from '../../shared/status.ts';
import { sendPublic } from './answer.ts';
import { publicTexts } from './language.ts';
import { renderedPage } from './rendered.ts';
import type { Texts } from './texts.ts';
import { publicCache, type SiteOptions } from './visit.ts';

export interface Reading {
  readonly req: Request;
  readonly res: Response;
  readonly run: RunOperation;
  /** The call of a visitor, even if the request has a key or cookie: caches may store the response. */
  readonly call: Call;
  readonly siteUrl: string;
  /** Maximum length of a list (catalog.limits.rows). */
  readonly rows: number;
  /** In the language of the prefix or the site. */
  readonly texts: Texts;
  /** Sends a text. */
  send(type: string, text: string): Promise<void>;
  /** Sends a long text as it is made. */
  stream(type: string, text: AsyncIterable<string>): Promise<void>;
  /** Passes the request on: nothing is here. */
  readonly next: () => void;
}

/** An Express handler. A refusal becomes a line of text. A request for an unknown object is passed to the next handler. */
export const reading =
  (options: SiteOptions, work: (reading: Reading) => Promise<void>): RequestHandler =>
  async (req, res, next) => {
    const { callFor, run, siteUrl, rows, maxAge } = options;
    try {
      const headers = { 'cache-control': publicCache(maxAge), vary: 'Accept-Encoding' };
      const typed = (type: string) => ({ ...headers, 'content-type': type });
      await work({
        ...{ req, res, run, siteUrl, rows, call: await callFor(req, true), next: () => next() },
        texts: publicTexts(req, options),
        send: (type, text) => sendPublic(res, 200, renderedPage(Buffer.from(text)), { ...CORS, ...typed(type) }),
        stream: (type, text) => sendPieces(req, res, typed(type), text),
      });
    } catch (thrown) {
      if (!(thrown instanceof CatalogError) || res.headersSent) return next(thrown);
      if (thrown.kind === 'NOT_FOUND') return next();
      const status = STATUS[thrown.kind];
      const problems = thrown.problems.map(({ path, message }) => [...path, message].join(': '));
      const said = problems.length > 0 ? problems : [thrown.message];
      const headers = { 'cache-control': 'no-store', ...retryHeader(res, status) };
      sendText(res, status, 'text/plain;charset=utf-8', `${said.filter(Boolean).join('\n')}\n`, headers);
    }
  };
