/** Reads a submitted form: its texts, and its files, which are streamed to storage. */
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { ComponentChildren, JSX } from 'preact';
import type { RunOperation } from '../../../src/graph/run.ts';
import type { Call } from '../../../src/kernel/call.ts';
import { CatalogError, firstMessage } from '../../../src/kernel/errors.ts';
import { maySendFile } from '../../../src/kernel/mutation.ts';
import { readBody, UnreadableBody } from '../../shared/bodies.ts';
import { mediaTypeOf } from '../../shared/media-type.ts';
import { type Incoming, readMultipart, UploadedFile } from '../../shared/multipart.ts';
import { isForeign, type Sessions, TOKEN_FIELD } from '../../shared/session.ts';
import { FORM_TYPE, parseUrlencoded } from '../../shared/urlencoded.ts';
import type { Frame } from './frame.ts';

/** Limits of a form, and its behavior after the session has ended. */
export interface FormKind {
  /** Whether its texts may be long (catalog.limits.json_body). Default: 64 KiB. */
  readonly isLong?: boolean;
  /**
   * Makes the page with the texts again, without reading anything, for a catalog that is busy or down. A form with this
   * also reaches its page after the session has ended.
   */
  readonly again?: (shown: Again) => JSX.Element;
  /** Whether the caller may send files in the field `files`. Asked before any is received. Without it, the form has none. */
  readonly takesFiles?: (run: RunOperation, req: Request, call: Call) => Promise<boolean>;
}

interface Again {
  readonly frame: Frame;
  readonly texts: Readonly<Record<string, string>>;
  /** Path of the request with its query. */
  readonly path: string;
  /** Why nothing was saved. */
  readonly message: ComponentChildren;
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
  /** Why no file was received, if the catalog was busy. */
  readonly refusal?: CatalogError;
}

/** The form or one of its files exceeds a limit. */
export class TooLarge extends Error {}

/** Whether the same request can succeed later. */
export const isBusy = ({ kind }: CatalogError): boolean => kind === 'UNAVAILABLE' || kind === 'RATE_LIMIT';

export const FILES = 'files';
/** Names of fields with a choice of several begin so. Their values are one text, separated by commas. */
export const MANY = 'tags-';
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
  { isLong = false, again, takesFiles }: FormKind,
  tokens: string[],
): Promise<Submitted> {
  const limit = isLong ? options.maxForm : MAX_FORM;
  try {
    const submitted =
      takesFiles && mediaTypeOf(req) === 'multipart/form-data'
        ? await readFiles(req, options, takesFiles, limit, tokens)
        : { form: await readTexts(req, limit), files: [] };
    return { ...submitted, isStale: isStale(req, options, submitted.form[TOKEN_FIELD], again !== undefined) };
  } catch (thrown) {
    if (thrown instanceof UnreadableBody && thrown.tooLarge) throw tooLargeForm(limit);
    if (thrown instanceof CatalogError && thrown.kind === 'LIMIT') throw new TooLarge(firstMessage(thrown));
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
  const textOf = (name: string, values: readonly string[]) =>
    name.startsWith(MANY) ? values.filter(Boolean).join(',') : (values.at(-1) ?? '');
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, textOf(name, [value].flat())]));
}

async function readFiles(
  req: Request,
  options: FormOptions,
  takesFiles: NonNullable<FormKind['takesFiles']>,
  limit: number,
  tokens: string[],
): Promise<Omit<Submitted, 'isStale'>> {
  let refusal: CatalogError | undefined;
  const maySend = await maySendFiles(req, options, takesFiles).catch((thrown: unknown) => {
    if (!(thrown instanceof CatalogError) || !isBusy(thrown)) throw thrown;
    refusal = thrown; // after the texts are read, so that they are not lost
    return false;
  });
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
  return { form, files, ...(refusal && { refusal }) };
}

async function maySendFiles(
  req: Request,
  { run, callFor }: FormOptions,
  takesFiles: NonNullable<FormKind['takesFiles']>,
): Promise<boolean> {
  const call = await callFor(req, false, true);
  return maySendFile(call.actor) === null && (await takesFiles(run, req, call));
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
