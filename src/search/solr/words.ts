/** Writes search words as Solr queries. The words are already analysed, so Solr receives words and positions. */
import type { TextMatch } from '../query/plan.ts';
import { needsLookup, type Word, type Words, wordsOf } from '../query/words.ts';
import { fieldWord } from '../words/keys.ts';
import { isWithin } from '../words/likeness.ts';
import type { Stem } from '../words/stemmers.ts';
import { fold } from '../words/tokens.ts';
import { wordsName } from './names.ts';
import { bool, escaped, inField, none, type Writing } from './writing.ts';

/** Index words to look up before the query is written: words of a field with this prefix that match. */
export interface Lookup {
  readonly field: string;
  readonly beginning: string;
  fits(word: string): boolean;
}

const lookupKey = (field: string, beginning: string, distance = 0): string =>
  JSON.stringify([field, beginning, distance]);

/** The lookups a match needs. @throws SyntaxFault */
export function lookupsOf(match: TextMatch, stem: Stem): [string, Lookup][] {
  const name = wordsName(match.field);
  const { value, field } = match;
  if (needsLookup(match)) {
    if (value.kind !== 'term' || field.kind !== 'ownWords') return [];
    // Solr would apply the edit distance to the field's name too.
    const [before, searched, distance] = [fieldWord(field.of, ''), folded(value.text), value.fuzzy!];
    const fits = (word: string) => isWithin(word.slice(before.length), searched, distance);
    return [[lookupKey(name, before + searched, distance), { field: name, beginning: before, fits }]];
  }
  const words = wordsOf(match, stem);
  return words === null
    ? []
    : nearBeginnings(words).map((word) => {
        const beginning = indexed(word, match);
        return [lookupKey(name, beginning), { field: name, beginning, fits: () => true }];
      });
}

/** Prefixes inside phrases, because Solr's phrases need whole words. */
function nearBeginnings(words: Words): string[] {
  if (words.kind === 'word') return [];
  if (words.kind === 'near') return words.of.flatMap(({ word, isBeginning }) => (isBeginning ? [word] : []));
  return words.of.flatMap(nearBeginnings);
}

const folded = (text: string): string => fold(text).toLowerCase();

/** A word as indexed in its field. */
const indexed = (word: string, { field }: TextMatch): string =>
  field.kind === 'ownWords' ? fieldWord(field.of, word) : word;

/** The query; null when there is no word to search. @throws SyntaxFault */
export function wordsQuery(match: TextMatch, writing: Writing): string | null {
  if (needsLookup(match)) return patternQuery(match, writing);
  const words = wordsOf(match, writing.stem);
  return words === null ? null : treeQuery(words, match, writing);
}

function patternQuery(match: TextMatch, writing: Writing): string {
  const { params } = writing;
  const { value } = match;
  const name = wordsName(match.field);
  if (value.kind === 'pattern') {
    const pattern = value.pieces.map((piece) =>
      'text' in piece ? escaped(folded(piece.text)) : piece.any === 'one' ? '?' : '*',
    );
    return inField(name, `${escaped(indexed('', match))}${pattern.join('')}`, params);
  }
  const word = folded(value.text);
  const distance = value.kind === 'term' ? (value.fuzzy ?? 0) : 0;
  if (match.field.kind === 'words') return inField(name, `${escaped(word)}~${distance}`, params);
  const found = writing.lookups.get(lookupKey(name, fieldWord(match.field.of, '') + word, distance)) ?? [];
  return found.length === 0
    ? none(params)
    : bool(
        'should',
        found.map((word) => termQuery(name, word, writing)),
        params,
      );
}

const termQuery = (name: string, word: string, { params }: Writing): string =>
  `{!term f=${name} v=${params.bind(word)}}`;

/** A query for these words in the field of the match. */
export function treeQuery(words: Words, match: TextMatch, writing: Writing): string {
  const { params } = writing;
  const name = wordsName(match.field);
  switch (words.kind) {
    case 'word': {
      const word = indexed(words.word, match);
      return words.isBeginning ? `{!prefix f=${name} v=${params.bind(word)}}` : termQuery(name, word, writing);
    }
    case 'near':
      return nearQuery(words.of, match, writing);
    default:
      return bool(
        words.kind === 'and' ? 'must' : 'should',
        words.of.map((part) => treeQuery(part, match, writing)),
        params,
      );
  }
}

/** A phrase in the same format as the words of a document: each with its position increment. */
function nearQuery(of: readonly (Word & { at: number })[], match: TextMatch, writing: Writing): string {
  const name = wordsName(match.field);
  const tokens: { t: string; i: number }[] = [];
  let before = of[0]!.at - 1;
  for (const { word, isBeginning, at } of of) {
    const given = indexed(word, match);
    const words = isBeginning ? (writing.lookups.get(lookupKey(name, given)) ?? []) : [given];
    if (words.length === 0) return none(writing.params);
    for (const t of words) {
      tokens.push({ t, i: at - before });
      before = at;
    }
  }
  return `{!field f=${name} v=${writing.params.bind(JSON.stringify({ v: '1', tokens }))}}`;
}
