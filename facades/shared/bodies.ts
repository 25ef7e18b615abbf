/** Reads request bodies completely, up to a limit, in all forms that clients send. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { hasMoreValues } from '../../src/kernel/json-size.ts';

/** A body that cannot be read, with a message for the caller. `tooLarge` distinguishes an exceeded limit from an invalid body. */
export class UnreadableBody extends Error {
  readonly tooLarge: boolean;
  constructor(message: string, tooLarge = false) {
    super(message.toWellFormed()); // the parser quotes split surrogate pairs
    this.tooLarge = tooLarge;
  }
}

/** Limits of a body; the settings with the same names below catalog.limits. */
export interface BodyLimits {
  /** Maximum bytes. */
  readonly json_body: number;
  /** Maximum values in JSON. */
  readonly json_values: number;
  /** Maximum values in JSON with records, for users. */
  readonly json_records: number;
}

export const bodyLimits = (settings: Readonly<Record<`catalog.limits.${keyof BodyLimits}`, number>>): BodyLimits => ({
  json_body: settings['catalog.limits.json_body'],
  json_values: settings['catalog.limits.json_values'],
  json_records: settings['catalog.limits.json_records'],
});

/**
 * The whole body as text. `isStrict` refuses invalid UTF-8, otherwise replaces it.
 * @throws UnreadableBody, also above `limit` bytes; Error when the client disconnects
 */
export function readBody(req: IncomingMessage, limit: number, isStrict = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const tooLarge = () =>
      new UnreadableBody(`The request body exceeds ${limit} bytes (catalog.limits.json_body)`, true);
    const gone = () => reject(new Error('The client disconnected'));
    if (Number(req.headers['content-length'] ?? 0) > limit) return reject(tooLarge());
    if (req.destroyed) return gone();
    const chunks: Buffer[] = [];
    let size = 0;
    // Uses events: for a short body, iterating the stream would cost more than everything else.
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return chunks.push(chunk);
      reject(tooLarge());
      return req.destroy();
    });
    req.on('end', () => {
      req.removeListener('close', gone); // every request is closed in the end, and creating an error costs a stack trace
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      if (isStrict && !isUtf8(body)) return reject(new UnreadableBody('The body is not UTF-8'));
      return resolve(body.toString('utf8'));
    });
    req.on('error', reject);
    req.on('close', gone);
  });
}

/**
 * Checks the number of values before parsing, because the parser would block the event loop. Checks the caller's permission for records
 * only when the body is large.
 * @throws UnreadableBody for more values than the caller may send
 */
export async function checkValues(
  json: string,
  limits: BodyLimits,
  maySendRecords: () => Promise<boolean> = async () => false,
): Promise<void> {
  if (!hasMoreValues(json, limits.json_values)) return;
  const name = (await maySendRecords()) ? 'json_records' : 'json_values';
  if (name === 'json_values' || hasMoreValues(json, limits[name]))
    throw new UnreadableBody(
      `The request body contains more than ${limits[name]} values (catalog.limits.${name})`,
      true,
    );
}

/**
 * Parses a JSON object from a body with any content type: some clients post JSON with a form type, percent-encoded or not. Calls `check`
 * before parsing.
 * @throws UnreadableBody with the contract's texts, and errors of `check`
 */
export async function parseJsonObject(
  text: string,
  contentType: string,
  check: (json: string) => Promise<void>,
): Promise<Record<string, unknown>> {
  await check(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (failure) {
    if (!contentType.includes('urlencoded')) throw notJson(failure);
    const json = decoded(text);
    await check(json);
    value = parsed(json);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnreadableBody(
      `JSON Error: Request data JSON decoded to ${pythonic(value)} but it needs to be a dictionary.`,
    );
  }
  return value as Record<string, unknown>;
}

/** Suffix of old clients that send JSON as the name of a form field. */
const FIELD_VALUE = /=[^=%{}"]*$/;

/** The JSON in a form's body. */
function decoded(text: string): string {
  const [first = ''] = text.split('&', 1);
  try {
    return decodeURIComponent(first.replace(FIELD_VALUE, '').replaceAll('+', ' '));
  } catch (failure) {
    throw notJson(failure);
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (failure) {
    throw notJson(failure);
  }
}

const notJson = (failure: unknown) =>
  new UnreadableBody(`JSON Error: Error decoding JSON data. Error: ${(failure as Error).message}`);

const MAX_QUOTED = 100;
/** Maximum nesting in a quoted value, because a recursive walk of deeper ones overflows the stack. */
const MAX_QUOTED_DEPTH = 5;

/** Start of a value in Python notation, as old clients expect. */
const pythonic = (value: unknown): string => quoted(value, 0).slice(0, MAX_QUOTED);

function quoted(value: unknown, depth: number): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (typeof value === 'string') return `'${value.slice(0, MAX_QUOTED)}'`;
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  if (depth >= MAX_QUOTED_DEPTH) return isList ? '[...]' : '{...}';
  const items: string[] = [];
  // Later items would be truncated anyway.
  if (isList) for (const item of value.slice(0, MAX_QUOTED)) items.push(quoted(item, depth + 1));
  else
    for (const key in value)
      if (items.length < MAX_QUOTED)
        items.push(`${quoted(key, depth)}: ${quoted((value as Record<string, unknown>)[key], depth + 1)}`);
  const text = items.join(', ').slice(0, MAX_QUOTED);
  return isList ? `[${text}]` : `{${text}}`;
}
