/** Request bodies in the forms that clients send, read whole but bounded. */
import type { IncomingMessage } from 'node:http';

/** What cannot be read is said in words for the caller; `tooLarge` tells a limit from a fault. */
export class UnreadableBody extends Error {
  readonly tooLarge: boolean;
  constructor(message: string, tooLarge = false) {
    super(message);
    this.tooLarge = tooLarge;
  }
}

/** The whole body as text. @throws UnreadableBody beyond `limit` bytes or when the client goes away. */
export async function readBody(req: IncomingMessage, limit: number): Promise<string> {
  const tooLarge = () =>
    new UnreadableBody(`The request body is larger than ${limit} bytes (catalog.limits.json_body)`, true);
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * A JSON object out of a body, whatever its content type says: clients post JSON under a form type too, percent-encoded or not.
 * @throws UnreadableBody in the words clients know.
 */
export function parseJsonObject(text: string, contentType: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (failure) {
    if (!contentType.includes('urlencoded')) throw notJson(failure);
    value = parseEncoded(text);
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

function parseEncoded(text: string): unknown {
  const [first = ''] = text.split('&', 1);
  try {
    return JSON.parse(decodeURIComponent(first.replace(FIELD_VALUE, '').replaceAll('+', ' ')));
  } catch (failure) {
    throw notJson(failure);
  }
}

const notJson = (failure: unknown) =>
  new UnreadableBody(`JSON Error: Error decoding JSON data. Error: ${(failure as Error).message}`);

function pythonic(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  return typeof value === 'string' ? `'${value.slice(0, 100)}'` : JSON.stringify(value).slice(0, 100);
}
