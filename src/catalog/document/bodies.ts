/**
 * Parsed documents, kept for the next who asks. The text decides: what is kept is used for the very same text only, so nobody sees
 * what is no longer so. Whoever reads a body must leave it as it is.
 */
import { createLru } from '../../kernel/lru.ts';
import type { DatasetBody } from './record.ts';

/** Characters of texts that are kept; parsed, they take about four times as many bytes. */
const ROOM = 8 * 1024 * 1024;

const kept = createLru<{ readonly text: string; readonly body: DatasetBody }>(ROOM);

/** The document of the dataset with this id, parsed. */
export function bodyOf(id: string, text: string): DatasetBody {
  const before = kept.get(id);
  if (before?.text === text) return before.body;
  const body = JSON.parse(text) as DatasetBody;
  kept.set(id, { text, body }, text.length);
  return body;
}
