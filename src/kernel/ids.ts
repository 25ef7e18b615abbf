import { createHash, randomUUID } from 'node:crypto';

/** A new random id. */
export const newId = (): string => randomUUID();

/** An id that follows from texts: the same for the same ones, in their order. For things that are told apart but not stored. */
export function derivedId(...texts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The graph's global id of an object: opaque to clients, stable for the object's life. */
export const toGlobalId = (type: string, id: string): string => Buffer.from(`${type}:${id}`).toString('base64url');

/** Type and id of a global id, or null when the text is not one. */
export function fromGlobalId(globalId: string): { type: string; id: string } | null {
  const text = Buffer.from(globalId, 'base64url').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || toGlobalId(text.slice(0, colon), text.slice(colon + 1)) !== globalId) return null;
  return { type: text.slice(0, colon), id: text.slice(colon + 1) };
}
