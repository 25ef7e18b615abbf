/** Reads multipart forms: buffers text fields up to a limit, and streams files to storage. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { CatalogError, limitAt } from '../../src/kernel/errors.ts';
import { UnreadableBody } from './bodies.ts';

/** Maximum parts of one form. A form with more is refused, never truncated. */
const MAX_FIELDS = 1000;
const MAX_FILES = 100;
/** Maximum bytes of a part's name, and of its file name. The parser silently truncates the headers of a part at 80 KiB. */
const MAX_NAME = 16 * 1024;

/** Storage for files of multipart forms. */
export interface Incoming {
  /** Stores a stream and returns its token. @throws CatalogError LIMIT */
  receive(source: Readable): Promise<string>;
  /** Deletes a received file. Does nothing if an action has stored it. */
  discard(token: string): Promise<void>;
}

/** A file of a multipart form. */
export class UploadedFile {
  readonly filename: string;
  /** The token of the received file. Null if the form does not accept a file in this field: its bytes are discarded. */
  readonly token: string | null;
  constructor(filename: string, token: string | null) {
    this.filename = filename;
    this.token = token;
  }
}

export interface MultipartOptions {
  /** Maximum total bytes of all text fields and of the names of all parts. */
  readonly limit: number;
  readonly incoming: Incoming;
  /** Whether the field accepts a file. @throws CatalogError if the caller may not send files: no file is received then */
  readonly takesFile: (name: string, fields: Readonly<Record<string, unknown>>) => boolean;
  /** Whether the field accepts several files, as a list. Default: none does. */
  readonly takesFiles?: (name: string) => boolean;
  /** Receives the token of each file, even if reading the form fails later. The caller must discard them. */
  readonly tokens: string[];
}

/**
 * Fields of a multipart form. A repeated name gives a list, a file gives an UploadedFile. A field accepts one file, or a list of
 * them with `takesFiles`. Files take precedence over a text of the same name. When this returns or throws, all transfers to storage have ended.
 * @throws UnreadableBody; CatalogError LIMIT; errors of `takesFile`
 */
export async function readMultipart(req: IncomingMessage, options: MultipartOptions): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  const files: Promise<void>[] = [];
  try {
    await parseForm(req, fields, files, options);
    await Promise.all(files);
    return fields;
  } finally {
    await Promise.allSettled(files);
  }
}

/** Deletes the received files that no action has stored. The sweep deletes files for which this fails. */
export async function discardFiles(tokens: readonly string[], incoming: Incoming): Promise<void> {
  await Promise.allSettled(tokens.map((token) => incoming.discard(token)));
}

function parseForm(
  req: IncomingMessage,
  fields: Record<string, unknown>,
  files: Promise<void>[],
  options: MultipartOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (req.destroyed) return reject(new UnreadableBody('The client disconnected'));
    const parser = parserOf(req, options.limit);
    /** Rejects immediately, and discards the rest of the body, because clients do not read a response while sending. */
    const fail = (failure: Error) => {
      reject(failure);
      req.unpipe(parser);
      req.resume();
      parser.destroy();
      for (const stream of streams) stream.destroy(failure); // the parser leaves them open
    };
    const streams = takeParts(parser, fields, files, options, fail);
    parser.on('finish', () => resolve());
    parser.on('error', (failure) => fail(new UnreadableBody(`Multipart Error: ${(failure as Error).message}`)));
    req.on('close', () => req.complete || fail(new UnreadableBody('The client disconnected')));
    req.pipe(parser);
  });
}

/** Handles the parts of the form. Returns the set of file streams, which grows with each file. */
function takeParts(
  parser: BusboyInstance,
  fields: Record<string, unknown>,
  files: Promise<void>[],
  { limit, incoming, takesFile, takesFiles = () => false, tokens }: MultipartOptions,
  fail: (failure: Error) => void,
): ReadonlySet<Readable> {
  const streams = new Set<Readable>();
  const fileNames = new Set<string>();
  let size = 0;
  const isWithin = (...texts: readonly (string | undefined)[]): boolean => {
    for (const text of texts) size += Buffer.byteLength(text ?? '');
    return size <= limit;
  };
  const isLong = (name: string | undefined): boolean => Buffer.byteLength(name ?? '') > MAX_NAME;
  const tooLong = () => new UnreadableBody(`Multipart Error: a name is longer than ${MAX_NAME} bytes`, true);
  const tooLarge = () => new UnreadableBody(`The form fields exceed ${limit} bytes (catalog.limits.json_body)`, true);
  const tooMany = (what: string) => () => fail(new UnreadableBody(`The form has more than ${what}`, true));
  parser.on('fieldsLimit', tooMany(`${MAX_FIELDS} fields`));
  parser.on('filesLimit', tooMany(`${MAX_FILES} files`));
  parser.on('partsLimit', tooMany(`${MAX_FIELDS + MAX_FILES} parts`));
  parser.on('field', (name, value, _isNameCut, isValueCut) => {
    if (parser.destroyed) return; // events for the rest of the current chunk
    if (isLong(name)) return fail(tooLong());
    if (isValueCut || !isWithin(name, value)) return fail(tooLarge());
    if (name === '__proto__' || fileNames.has(name)) return;
    fields[name] = Object.hasOwn(fields, name) ? [fields[name], value].flat() : value;
  });
  parser.on('file', (name, stream, filename) => {
    stream.on('error', () => {}); // `incoming.receive` handles errors
    if (parser.destroyed) return void stream.resume();
    streams.add(stream);
    if (isLong(name) || isLong(filename)) return fail(tooLong());
    if (!isWithin(name, filename)) return fail(tooLarge());
    if (!filename || name === '__proto__') return void stream.resume();
    const isList = takesFiles(name);
    if (fileNames.has(name) && !isList)
      return fail(new UnreadableBody(`There is more than one file in the field ${name}`));
    let taken: boolean;
    try {
      taken = takesFile(name, fields);
    } catch (refusal) {
      return fail(refusal as Error);
    }
    const list: UploadedFile[] = isList && fileNames.has(name) ? (fields[name] as UploadedFile[]) : [];
    fileNames.add(name);
    const index = list.push(new UploadedFile(filename, null)) - 1;
    fields[name] = isList ? list : list[0];
    if (!taken) return void stream.resume();
    const received = incoming.receive(stream).then(
      (token) => {
        tokens.push(token);
        list[index] = new UploadedFile(filename, token);
        if (!isList) fields[name] = list[0];
      },
      (failure: Error) => {
        throw atField(name, failure);
      },
    );
    received.catch(fail);
    files.push(received);
  });
  return streams;
}

/** The error of a file that is too large, at the field of the file. Other errors are unchanged. */
const atField = (field: string, failure: Error): Error =>
  failure instanceof CatalogError && failure.kind === 'LIMIT' ? limitAt(field, failure.message) : failure;

function parserOf(req: IncomingMessage, limit: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
      limits: { fieldSize: limit, fields: MAX_FIELDS, files: MAX_FILES, parts: MAX_FIELDS + MAX_FILES },
    });
  } catch (failure) {
    throw new UnreadableBody(`Multipart Error: ${(failure as Error).message}`);
  }
}
