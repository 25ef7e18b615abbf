/** Builds the search entry of a dataset from its document. The only file that defines which words and values find a dataset. Pure. */

import type { DatasetBody } from '../../catalog/document/record.ts';
import { textsSearchedBy } from '../../kernel/dataset-fields.ts';
import { fieldWord, valueKey } from '../words/keys.ts';
import type { Stem } from '../words/stemmers.ts';
import { chunksOf } from '../words/tokens.ts';
import { MAX_POSITION, Vector, type Weight } from '../words/vector.ts';

/** The index entry of one dataset. */
export interface Entry {
  readonly id: string;
  /** Words of the whole dataset. Weights mark their field. */
  readonly words: string;
  /** Words of single fields, each prefixed with its field. */
  readonly field_words: string;
  /** Values for filters and facets. */
  readonly values: readonly { readonly field: string; readonly value: string }[];
  readonly resource_count: number;
  readonly tag_count: number;
  /** Weight of a word in this dataset. Longer datasets contain more words by chance, so theirs weigh less. */
  readonly length_factor: number;
}

/** Texts whose words are in the words of the whole dataset, beside the notes. */
const WHOLE_TEXTS = textsSearchedBy('text');
/** Texts with an index of their own. */
const OWN_TEXTS = textsSearchedBy('words', 'text');
/** Texts whose values facets count. */
const COUNTED_TEXTS = textsSearchedBy('value');

/** Maximum positions for the notes, so that later fields get some. */
const NOTES_UNTIL = 10_000;

/** Field of a tag. Free tags share one field, and each vocabulary has its own. */
const tagField = (vocabularyId: string | null): string => (vocabularyId === null ? 'tags' : `vocab:${vocabularyId}`);

export function entryOf(body: DatasetBody, stem: Stem): Entry {
  const fields = new Vector();
  for (const [field, texts] of textFields(body)) {
    addText(fields, texts.join(' \n'), asIs, null, Number.POSITIVE_INFINITY, (word) => fieldWord(field, word));
    fields.gap();
  }
  const { words, count } = wordsOf(body, stem);
  return {
    id: body.id,
    words: words.toString(),
    field_words: fields.toString(),
    values: valuesOf(body),
    resource_count: body.num_resources,
    tag_count: body.num_tags,
    length_factor: lengthFactor(count),
  };
}

function wordsOf(body: DatasetBody, stem: Stem): { words: Vector; count: number } {
  const words = new Vector();
  let count = 0;
  const add = (text: string | null | undefined, weight: Weight, until = Number.POSITIVE_INFINITY) => {
    if (!text) return;
    count += addText(words, text, stem, weight, until);
    words.gap();
  };
  add(body.title, 'A');
  for (const { name } of [...body.tags, ...body.groups]) add(name, 'B');
  add(body.name, 'D');
  add(body.notes, 'C', NOTES_UNTIL);
  for (const text of [body.organization?.name, ...WHOLE_TEXTS.map((key) => body[key])]) add(text, 'D');
  for (const { value } of body.extras) add(value, 'D');
  for (const resource of body.resources) {
    add(resource.name, 'D');
    add(resource.description, 'D');
  }
  return { words, count };
}

const asIs: Stem = (word) => word;

/** Adds a text's words and returns their number. The default weight depends on the text's length. */
function addText(
  vector: Vector,
  text: string,
  stem: Stem,
  given: Weight | null,
  until: number,
  name: (word: string) => string = (word) => word,
): number {
  const joined = new Set<string>();
  const from = vector.next;
  const words: { word: string; at: number }[] = [];
  const max = Math.min(until, MAX_POSITION) - from;
  for (const chunk of chunksOf(vector.take(text), stem, from)) {
    if (words.length > max) break;
    for (const token of chunk.parts.flat()) {
      if (words.length > max) break; // a chunk may be longer than that
      words.push(token);
    }
    if (chunk.joined !== null) joined.add(chunk.joined);
  }
  const weight = given ?? lengthWeight(words.length);
  for (const { word, at } of words) vector.add(name(word), at, weight);
  // `wi-fi` also matches wifi. Joined words have no neighbours.
  for (const word of joined) vector.add(name(word), vector.next + 1, weight);
  return words.length;
}

/** Weight of a word in a text of this length: steps of 1 / √words. */
const lengthWeight = (words: number): Weight => (words <= 4 ? 'A' : words <= 10 ? 'B' : words <= 16 ? 'C' : 'D');

/** Fields with an index of their own, and their texts. */
function textFields(body: DatasetBody): [string, string[]][] {
  const texts: [string, (string | null | undefined)[]][] = [
    ...OWN_TEXTS.map((key): [string, (string | null)[]] => [key, [body[key]]]),
    ['res_name', body.resources.map(({ name }) => name)],
    ['res_description', body.resources.map(({ description }) => description)],
    ...body.extras.map(({ key, value }): [string, string[]] => [`extras_${key}`, [value]]),
  ];
  return texts.flatMap(([field, values]): [string, string[]][] => {
    const given = values.filter((value): value is string => Boolean(value));
    return given.length > 0 ? [[field, given]] : [];
  });
}

function valuesOf(body: DatasetBody): Entry['values'] {
  const values: [string, string | null | undefined][] = [
    ['organization', body.organization?.name],
    ...COUNTED_TEXTS.map((key): [string, string | null] => [key, body[key]]),
    ['dataset_type', body.type],
    ['isopen', String(body.isopen)],
    ...body.groups.map(({ name }): [string, string] => ['groups', name]),
    ...body.tags.map(({ name, vocabulary_id }): [string, string] => [tagField(vocabulary_id), name]),
    ...body.resources.map(({ format }): [string, string] => ['res_format', format]),
    ...body.resources.map(({ resource_type }): [string, string | null] => ['res_type', resource_type]),
  ];
  const unique = new Map<string, { field: string; value: string }>();
  for (const [field, value] of values) {
    if (value === null || value === undefined) continue; // an empty value counts, as in Solr
    const key = valueKey(value);
    unique.set(`${field}\u0001${key}`, { field, value: key });
  }
  return [...unique.values()];
}

/** 1 / √words, rounded to quarter steps between powers of two, so that datasets of similar length rank equally. */
function lengthFactor(words: number): number {
  const exact = 1 / Math.sqrt(Math.max(1, words));
  const power = 2 ** Math.floor(Math.log2(exact));
  return power * (1 + Math.floor((exact / power - 1) * 4) / 4);
}
