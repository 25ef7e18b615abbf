import { createHash, randomUUID } from 'node:crypto';

/** A new random id. */
export const newId = (): string => randomUUID();

/** An id derived from texts: equal texts in equal order give equal ids. For items that need an id without being stored. */
export function derivedId(...texts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The graph's global id of an object: opaque to clients, stable for the object's life. */
export const toGlobalId = (type: string, id: string): string => Buffer.from(`${type}:${id}`).toString('base64url');

/** The global id of an object that a mutation deletes or removes. */
export const asId = async (type: string, id: Promise<string>): Promise<string> => toGlobalId(type, await id);

/** Type and id of a global id; null for an invalid one. */
export function fromGlobalId(globalId: string): { type: string; id: string } | null {
  const text = Buffer.from(globalId, 'base64url').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || toGlobalId(text.slice(0, colon), text.slice(colon + 1)) !== globalId) return null;
  return { type: text.slice(0, colon), id: text.slice(colon + 1) };
}
