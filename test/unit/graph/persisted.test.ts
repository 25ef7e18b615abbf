/** Automatic persisted queries: bounded in total size, with eviction of the least recently used. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createPersisted } from '../../../src/graph/persisted/persisted.ts';

const ROOM = 5_000_000;
const MAX_LENGTH = 100_000;
const text = (n: number) => `{ a${n} } #`.padEnd(MAX_LENGTH, 'x');
const hash = (query: string) => createHash('sha256').update(query).digest('hex');

describe('automatic persisted queries', () => {
  it('are stored up to a total size, and one more evicts the least recently used', () => {
    const find = createPersisted({ find: () => undefined, has: () => false });
    const wanted = (query: string | null, sha256Hash: string) => ({
      query,
      documentId: null,
      extensions: { persistedQuery: { version: 1, sha256Hash } },
    });
    const send = (query: string) => find(wanted(query, hash(query))).keep();
    const ask = (query: string) => find(wanted(null, hash(query))).text;
    const all = Array.from({ length: ROOM / MAX_LENGTH }, (_, n) => text(n));
    for (const query of all) send(query);
    for (const query of all) expect(ask(query)).toBe(query);
    const more = text(all.length);
    send(more);
    expect(ask(more)).toBe(more);
    expect(() => ask(all[0]!)).toThrow('PersistedQueryNotFound');
    for (const query of all.slice(1)) expect(ask(query)).toBe(query);
  });
});
