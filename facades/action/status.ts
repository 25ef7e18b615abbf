/** `/api/util/status` and `/api/2/util/status`: what status_show answers, without the envelope. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ActionStatusShowDocument } from '../../src/generated/operations.ts';
import { JSON_TYPE, queryOf, sendText } from '../shared/http.ts';
import { isCallback, jsonp } from '../shared/jsonp.ts';
import type { ActionOptions } from './handler.ts';

export const STATUS_PATHS = ['/api/util/status', '/api/2/util/status'];

/** Answers the site's status to everybody, whatever key the request carries. */
export const statusHandler =
  ({ run, callFor }: Pick<ActionOptions, 'run' | 'callFor'>) =>
  async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { site } = await run(ActionStatusShowDocument, {}, await callFor(req, true));
    const { callback } = queryOf(req.url ?? '');
    const body = JSON.stringify(site);
    if (typeof callback === 'string' && isCallback(callback))
      return sendText(res, 200, 'application/javascript;charset=utf-8', jsonp(callback, body));
    sendText(res, 200, JSON_TYPE, body);
  };
