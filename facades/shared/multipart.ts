/** Multipart forms: text fields read whole but bounded, files streamed to where they come in. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { UnreadableBody } from './bodies.ts';

/** Parts of one form at most; more are refused, never left out. */
const MAX_FIELDS = 1000;
const MAX_FILES = 100;
/** Bytes of the name of a part, and of its file name. The parser cuts the head of a part at 80 KiB without a word. */
const MAX_NAME = 16 * 1024;

/** Where files of multipart forms come in. */
export interface Incoming {
  /** Takes a stream in and answers what it is called. @throws CatalogError LIMIT */
  receive(source: Readable): Promise<string>;
  /** Deletes what came in; one that was kept is no matter. */
  discard(token: string): Promise<void>;
}

/** A file of a multipart form. */
export class UploadedFile {
  readonly filename: string;
  /** What it is called where it came in; null where the form takes no file of that name: then its bytes are not kept. */
  readonly token: string | null;
  constructor(filename: string, token: string | null) {
    this.filename = filename;
    this.token = token;
  }
}

export interface MultipartOptions {
  /** Bytes of all text fields and of the names of all parts together, at most. */
  readonly limit: number;
  readonly incoming: Incoming;
  /** True where a file of that name is taken. @throws CatalogError where no file at all may be sent: nothing is taken in then */
  readonly takesFile: (name: string) => boolean;
  /** Gets the token of each file that came in, whether or not the form can be read to its end: the caller discards them. */
  readonly tokens: string[];
}

/**
 * Fields of a multipart form; a repeated name gives a list, a file an UploadedFile. Files are streamed to where they come in,
 * one of a name; a text of the same name is left aside. None is on its way any more when this returns or throws.
 * @throws UnreadableBody, CatalogError LIMIT and what `takesFile` throws
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

/** Deletes the files of a form that were not kept. What cannot be deleted now is left to the sweep. */
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
    /** Answers at once; the rest of the body is thrown away, as clients read no answer while they send. */
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

/** Returns the streams of files that came in so far. */
function takeParts(
  parser: BusboyInstance,
  fields: Record<string, unknown>,
  files: Promise<void>[],
  { limit, incoming, takesFile, tokens }: MultipartOptions,
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
    if (parser.destroyed) return; // what was left of the part of the body that was being read
    if (isLong(name)) return fail(tooLong());
    if (isValueCut || !isWithin(name, value)) return fail(tooLarge());
    if (name === '__proto__' || fileNames.has(name)) return;
    fields[name] = Object.hasOwn(fields, name) ? [fields[name], value].flat() : value;
  });
  parser.on('file', (name, stream, filename) => {
    stream.on('error', () => {}); // told to whoever takes it in
    if (parser.destroyed) return void stream.resume();
    streams.add(stream);
    if (isLong(name) || isLong(filename)) return fail(tooLong());
    if (!isWithin(name, filename)) return fail(tooLarge());
    if (!filename || name === '__proto__') return void stream.resume();
    if (fileNames.has(name)) return fail(new UnreadableBody(`There is more than one file in the field ${name}`));
    fileNames.add(name);
    let taken: boolean;
    try {
      taken = takesFile(name);
    } catch (refusal) {
      return fail(refusal as Error);
    }
    fields[name] = new UploadedFile(filename, null);
    if (!taken) return void stream.resume();
    const received = incoming.receive(stream).then((token) => {
      tokens.push(token);
      fields[name] = new UploadedFile(filename, token);
    });
    received.catch(fail);
    files.push(received);
  });
  return streams;
}

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
