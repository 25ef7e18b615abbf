/** Converts a row of the PostgreSQL search index into its Solr document, with the same words, positions and values. Pure. */

import type { DatasetBody } from '../../catalog/document/record.ts';
import { textsSearchedBy } from '../../kernel/dataset-fields.ts';
import { labelsOf } from './labels.ts';
import { extraName, solrValue, valueName } from './names.ts';
import { stepWord } from './rank.ts';

/** A row of dataset_search with its dataset's document. */
export interface IndexRow {
  readonly id: string;
  readonly number: number;
  /** The transaction that wrote it. */
  readonly written: string;
  readonly state: string;
  readonly private: boolean;
  readonly owner_organization_id: string | null;
  readonly creator_id: string | null;
  readonly name: string;
  readonly title: string;
  readonly created_at: Date;
  readonly modified_at: Date;
  readonly resource_count: number;
  readonly tag_count: number;
  readonly views_total: number;
  readonly views_recent: number;
  readonly length_factor: number;
  /** tsvector as text. */
  readonly words: string;
  readonly field_words: string;
  /** Fields and values of search_value. */
  readonly values: readonly (readonly [string, string])[];
  /** Null when the dataset was purged. */
  readonly document: string | null;
}

export function solrDocument(row: IndexRow & { document: string }): Record<string, unknown> {
  const body = JSON.parse(row.document) as DatasetBody;
  const words = positionsOf(row.words);
  const fieldWords = positionsOf(row.field_words);
  return {
    id: row.id,
    number: row.number,
    written: row.written,
    labels: labelsOf({
      state: row.state,
      private: row.private,
      ownerId: row.owner_organization_id,
      creatorId: row.creator_id,
    }),
    state: row.state,
    private: String(row.private),
    capacity: row.private ? 'private' : 'public',
    owner_id: row.owner_organization_id,
    creator_id: row.creator_id,
    name: row.name,
    title: solrValue(row.title),
    created_at: row.created_at.toISOString(),
    modified_at: row.modified_at.toISOString(),
    resource_count: row.resource_count,
    tag_count: row.tag_count,
    views_total: row.views_total,
    views_recent: row.views_recent,
    length_factor: row.length_factor,
    ...Object.fromEntries(TEXTS.map((field) => [field, textOf(body[field])])),
    res_url: [...new Set(body.resources.map(({ url }) => solrValue(url)))],
    ...Object.fromEntries(body.extras.map(({ key, value }) => [extraName(key), textOf(value)])),
    ...valuesOf(row.values),
    words: preAnalysed(words),
    title_words: preAnalysed(words, 'A'),
    notes_words: preAnalysed(words, 'C'),
    field_words: preAnalysed(fieldWords),
    field_steps: preAnalysed(
      fieldWords.map((position) => ({ ...position, word: stepWord(position.word, position.weight) })),
    ),
  };
}

/** Single-text fields with the same name on both sides. */
const TEXTS = ['revision_id', ...textsSearchedBy('notes', 'exact', 'words', 'text')] as const;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? solrValue(value) : undefined);

function valuesOf(values: IndexRow['values']): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const [field, value] of values) (fields[valueName(field)] ??= []).push(value);
  return fields;
}

interface WordPosition {
  readonly word: string;
  readonly at: number;
  /** A (title), B (tags and groups), C (notes), D (other fields). */
  readonly weight: string;
}

const WORD = /'((?:[^']|'')*)'(?::([\dA-D,]+))?/g;

/** The words of a tsvector with their positions, in order. */
function positionsOf(vector: string): WordPosition[] {
  const positions: WordPosition[] = [];
  for (const [, quoted, given] of vector.matchAll(WORD)) {
    const word = quoted!.replaceAll("''", "'").replaceAll('\\\\', '\\');
    for (const position of given?.split(',') ?? [])
      positions.push({ word, at: Number.parseInt(position, 10), weight: /[A-D]$/.exec(position)?.[0] ?? 'D' });
  }
  return positions.sort((a, b) => a.at - b.at);
}

/** Words in the format of Solr's PreAnalyzedField: each with the position increment from the previous one. */
function preAnalysed(positions: readonly WordPosition[], weight?: string): string | undefined {
  const tokens: { t: string; i: number }[] = [];
  let before = 0;
  for (const position of positions) {
    if (weight !== undefined && position.weight !== weight) continue;
    tokens.push({ t: position.word, i: position.at - before });
    before = position.at;
  }
  return tokens.length === 0 ? undefined : JSON.stringify({ v: '1', tokens });
}
