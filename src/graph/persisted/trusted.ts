/** Loads the site's trusted documents from its manifest at startup. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import { createDocuments, hashOf } from '../execution/documents.ts';

export interface Trusted {
  /** The text of a document by its name in the manifest, or by `sha256:` and its hash. */
  find(id: string): string | undefined;
  /** Whether the text is a trusted document. */
  has(text: string): boolean;
}

/**
 * Reads the manifest: a JSON file, or a folder of JSON files and of `.graphql` files with one document each. JSON is an object with
 * names and texts, as Relay writes it, or Apollo's manifest. Without a path there are no trusted documents.
 * @throws Error with the name of the file, when it cannot be read or a document is invalid or over a limit
 */
export function loadTrusted(path: string | null, schema: GraphQLSchema): Trusted {
  const byId = new Map<string, string>();
  const texts = new Set<string>();
  const documents = createDocuments(schema);
  for (const file of path === null ? [] : filesOf(path)) {
    try {
      for (const [id, text] of entriesOf(file)) {
        documents.open(text);
        byId.set(id, text);
        byId.set(`sha256:${hashOf(text)}`, text);
        texts.add(text);
      }
    } catch (failure) {
      throw new Error(`catalog.graphql.documents: ${file}: ${(failure as Error).message}`);
    }
  }
  return { find: (id) => byId.get(id), has: (text) => texts.has(text) };
}

function filesOf(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.(json|graphql)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

/** Names and texts. The name of a `.graphql` document is its hash. */
function entriesOf(file: string): [string, string][] {
  const content = readFileSync(file, 'utf8');
  if (file.endsWith('.graphql')) return [[hashOf(content), content]];
  const manifest: unknown = JSON.parse(content);
  if (typeof manifest !== 'object' || manifest === null) throw new Error('must be a JSON object');
  const { operations } = manifest as { operations?: unknown };
  const entries = Array.isArray(operations)
    ? operations.map((it: { id?: unknown; body?: unknown }): [unknown, unknown] => [it.id, it.body])
    : Object.entries(manifest);
  for (const [id, text] of entries)
    if (typeof id !== 'string' || typeof text !== 'string')
      throw new Error('contains a document without a name or text');
  return entries as [string, string][];
}
