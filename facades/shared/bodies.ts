/** Request bodies in the forms that clients send, read whole but bounded. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { hasMoreValues } from '../../src/kernel/json-size.ts';

/** What cannot be read is said in words for the caller; `tooLarge` tells a limit from a fault. */
export class UnreadableBody extends Error {
  readonly tooLarge: boolean;
  constructor(message: string, tooLarge = false) {
    super(message.toWellFormed()); // the parser quotes half characters
    this.tooLarge = tooLarge;
  }
}

/** How much a body may hold; the settings of the same names below catalog.limits. */
export interface BodyLimits {
  /** Bytes. */
  readonly json_body: number;
  /** Values in JSON. */
  readonly json_values: number;
  /** Values in JSON that holds records of a user's. */
  readonly json_records: number;
}

export const bodyLimits = (settings: Readonly<Record<`catalog.limits.${keyof BodyLimits}`, number>>): BodyLimits => ({
  json_body: settings['catalog.limits.json_body'],
  json_values: settings['catalog.limits.json_values'],
  json_records: settings['catalog.limits.json_records'],
});

/** The whole body as text; `isStrict` refuses what is no UTF-8, else it is read as well as it can be. @throws UnreadableBody, also beyond `limit` bytes; Error when the client goes away. */
export function readBody(req: IncomingMessage, limit: number, isStrict = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const tooLarge = () =>
      new UnreadableBody(`The request body exceeds ${limit} bytes (catalog.limits.json_body)`, true);
    const gone = () => reject(new Error('The client disconnected'));
    if (Number(req.headers['content-length'] ?? 0) > limit) return reject(tooLarge());
    if (req.destroyed) return gone();
    const chunks: Buffer[] = [];
    let size = 0;
    // By events: to go over a stream by its iterator costs more than all else that is done with a short body.
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return chunks.push(chunk);
      reject(tooLarge());
      return req.destroy();
    });
    req.on('end', () => {
      req.removeListener('close', gone); // every request is closed in the end, and an error costs a walk through the stack
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      if (isStrict && !isUtf8(body)) return reject(new UnreadableBody('The body is not UTF-8'));
      return resolve(body.toString('utf8'));
    });
    req.on('error', reject);
    req.on('close', gone);
  });
}

/**
 * Refuses a JSON text before it is parsed, for the parser would hold up everybody. Whether the caller may send records is asked
 * only where there is much. @throws UnreadableBody for more values than the caller may send
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
 * A JSON object out of a body, whatever its content type says: clients post JSON under a form type too, percent-encoded or not.
 * `check` sees what is parsed before it is. @throws UnreadableBody in the words clients know, and what `check` throws.
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

/** What old clients write after the JSON, which they send as the name of a form field. */
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
/** Levels of a value that are quoted: it can be deeper than the stack allows to walk. */
const MAX_QUOTED_DEPTH = 5;

/** The beginning of a value, as old clients know it. */
const pythonic = (value: unknown): string => quoted(value, 0).slice(0, MAX_QUOTED);

function quoted(value: unknown, depth: number): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (typeof value === 'string') return `'${value.slice(0, MAX_QUOTED)}'`;
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  if (depth >= MAX_QUOTED_DEPTH) return isList ? '[...]' : '{...}';
  const items: string[] = [];
  // Items beyond MAX_QUOTED would be cut off in any case.
  if (isList) for (const item of value.slice(0, MAX_QUOTED)) items.push(quoted(item, depth + 1));
  else
    for (const key in value)
      if (items.length < MAX_QUOTED)
        items.push(`${quoted(key, depth)}: ${quoted((value as Record<string, unknown>)[key], depth + 1)}`);
  const text = items.join(', ').slice(0, MAX_QUOTED);
  return isList ? `[${text}]` : `{${text}}`;
}
