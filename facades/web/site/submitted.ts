/** Reads a submitted form: its texts, and its files, which are streamed to storage. */
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { RunOperation } from '../../../src/graph/run.ts';
import type { Call } from '../../../src/kernel/call.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import { readBody, UnreadableBody } from '../../shared/bodies.ts';
import { mediaTypeOf } from '../../shared/media-type.ts';
import { type Incoming, readMultipart, UploadedFile } from '../../shared/multipart.ts';
import { isForeign, type Sessions, TOKEN_FIELD } from '../../shared/session.ts';
import { FORM_TYPE, parseUrlencoded } from '../../shared/urlencoded.ts';

/** Limits of a form, and its behavior after the session has ended. */
export interface FormKind {
  /** Whether its texts may be long (catalog.limits.json_body). Default: 64 KiB. */
  readonly isLong?: boolean;
  /** Whether the page shows the texts again after the session has ended, instead of an error page. */
  readonly keeps?: boolean;
  /** Whether the caller may send files in the field `files`. Asked before any is received. Without it, the form has none. */
  readonly takesFiles?: (run: RunOperation, req: Request, call: Call) => Promise<boolean>;
}

/** The options of the site that reading a form takes. */
interface FormOptions {
  readonly run: RunOperation;
  readonly callFor: (req: IncomingMessage, anonymously?: boolean, checked?: boolean) => Call | Promise<Call>;
  readonly sessions: Sessions;
  readonly siteUrl: string;
  readonly maxForm: number;
  readonly incoming: Incoming;
}

export interface SentFile {
  readonly name: string;
  readonly token: string;
}

interface Submitted {
  readonly form: Readonly<Record<string, string>>;
  readonly files: readonly SentFile[];
  readonly isStale: boolean;
}

/** The form or one of its files exceeds a limit. */
export class TooLarge extends Error {}

export const FILES = 'files';
const MAX_FORM = 64 * 1024;
/** Maximum fields of a form: 1,000 custom fields have two each. Parsing millions would hold the event loop. */
const MAX_FIELDS = 2_500;

export const nothingSubmitted: Submitted = { form: {}, files: [], isStale: false };

/**
 * The form of a POST from our own pages. Files are received only from signed-in people whose session belongs to the
 * form. `tokens` gets those of the received files. @throws UnreadableBody; TooLarge; CatalogError NOT_AUTHORIZED
 */
export async function readSubmitted(
  req: Request,
  options: FormOptions,
  { isLong = false, keeps = false, takesFiles }: FormKind,
  tokens: string[],
): Promise<Submitted> {
  const limit = isLong ? options.maxForm : MAX_FORM;
  try {
    const { form, files } =
      takesFiles && mediaTypeOf(req) === 'multipart/form-data'
        ? await readFiles(req, options, takesFiles, limit, tokens)
        : { form: await readTexts(req, limit), files: [] };
    return { form, files, isStale: isStale(req, options, form[TOKEN_FIELD], keeps) };
  } catch (thrown) {
    if (thrown instanceof UnreadableBody && thrown.tooLarge) throw tooLargeForm(limit);
    if (thrown instanceof CatalogError && thrown.kind === 'LIMIT') throw new TooLarge(thrown.message);
    throw thrown;
  }
}

const tooLargeForm = (limit: number) =>
  new TooLarge(
    `The texts of this form exceed ${limit} bytes, so nothing was saved. Go back, shorten them, and save again.`,
  );

async function readTexts(req: IncomingMessage, limit: number): Promise<Record<string, string>> {
  if (mediaTypeOf(req) !== FORM_TYPE)
    throw new UnreadableBody('The form must be sent as application/x-www-form-urlencoded');
  const fields = parseUrlencoded(await readBody(req, limit), MAX_FIELDS);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value].flat().at(-1) ?? '']));
}

async function readFiles(
  req: Request,
  options: FormOptions,
  takesFiles: NonNullable<FormKind['takesFiles']>,
  limit: number,
  tokens: string[],
): Promise<Omit<Submitted, 'isStale'>> {
  const call = await options.callFor(req, false, true);
  const { actor } = call;
  const maySend = actor.userId !== null && actor.limitedTo !== 'read' && (await takesFiles(options.run, req, call));
  const fields = await readMultipart(req, {
    limit,
    incoming: options.incoming,
    tokens,
    takesFiles: (name) => name === FILES,
    takesFile: (name, fields) => name === FILES && maySend && !isStale(req, options, fields[TOKEN_FIELD], true),
  });
  const form: Record<string, string> = {};
  const files: SentFile[] = [];
  for (const [name, value] of Object.entries(fields))
    for (const part of [value].flat())
      if (!(part instanceof UploadedFile)) form[name] = String(part);
      else if (part.token !== null) files.push({ name: part.filename, token: part.token });
  return { form, files };
}

/** Whether the session of a form has ended. @throws CatalogError NOT_AUTHORIZED for another site, and unless the page keeps the form */
function isStale(req: IncomingMessage, { sessions, siteUrl }: FormOptions, token: unknown, keeps: boolean): boolean {
  try {
    sessions.checkForm(req, token);
    return false;
  } catch (thrown) {
    if (!keeps || isForeign(req, siteUrl)) throw thrown;
    return true;
  }
}
