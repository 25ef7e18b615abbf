/** Reports served objects and searches for the usage numbers. The only place that decides from HTTP whether a request counts. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from '../../src/kernel/call.ts';
import type { SearchUse, Use } from '../../src/kernel/usage.ts';

/** A part of a file that begins at its first byte. */
const FROM_START = /^bytes=0-/;
/** Purpose of a request by which a browser loads a page in advance, which the visitor may never open. */
const ADVANCE = /prefetch|prerender/;

/** Reports a use after its response is sent, or when it will be; not if the client has left before. Never throws. */
export function reportUse(
  call: Call | undefined,
  req: IncomingMessage,
  res: ServerResponse,
  use: Use | SearchUse | null | undefined,
): void {
  if (!call || !use || req.method === 'HEAD') return;
  if (!res.headersSent) res.once('finish', () => report(call, req, res, use));
  else if (!res.destroyed) report(call, req, res, use);
}

function report({ actor, process }: Call, req: IncomingMessage, res: ServerResponse, use: Use | SearchUse): void {
  const { headers } = req;
  if (res.statusCode !== 200 && !(res.statusCode === 206 && FROM_START.test(headers.range ?? ''))) return;
  const purpose = headers['sec-purpose'] ?? headers.purpose;
  if (purpose !== undefined && ADVANCE.test(String(purpose))) return;
  process.usage.count(use, actor.userId, actor.address, headers['user-agent'] ?? '');
}
