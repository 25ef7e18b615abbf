/** Words to look for → PostgreSQL's tsquery, as text. */

import type { TextMatch } from '../query/plan.ts';
import type { Piece } from '../query/syntax.ts';
import { SyntaxFault } from '../query/syntax.ts';
import { fieldWord } from '../words/keys.ts';
import type { Stem } from '../words/stemmers.ts';
import { type Chunk, chunksOf, fold, isUnspaced, type Token } from '../words/tokens.ts';
import { quoted } from '../words/vector.ts';

/** Ways to share out the slop of a phrase that are tried, at most. */
const MOST_WAYS = 300;

/** Which column, and what to look for in it. */
export interface WordQuery {
  readonly column: 'words' | 'field_words';
  readonly query: string;
}

/** Null where there is no word to look for. `expanded` are the words that a pattern or a fuzzy term stands for. @throws SyntaxFault */
export function wordQuery(
  { field, value, parts }: TextMatch,
  stem: Stem,
  expanded: readonly string[] | undefined,
): WordQuery | null {
  const column = field.kind === 'words' ? 'words' : 'field_words';
  const writer: Writer =
    field.kind === 'words'
      ? { stem, word: (word, prefix) => `${quoted(word)}${suffix(prefix, WEIGHTS[field.of])}` }
      : { stem: (word) => word, word: (word, prefix) => `${quoted(fieldWord(field.of, word))}${suffix(prefix, '')}` };
  const query = expanded ? anyOf(expanded, writer) : queryOf(value, parts, writer);
  return query === null ? null : { column, query };
}

const anyOf = (words: readonly string[], writer: Writer): string | null =>
  words.length === 0
    ? null
    : joined(
        words.map((word) => writer.word(word, false)),
        '|',
      );

function queryOf(value: TextMatch['value'], parts: 'all' | 'any', writer: Writer): string | null {
  if (value.kind === 'term') return termQuery(value.text, parts, writer);
  return value.kind === 'phrase' ? phraseQuery(value.text, value.slop, writer) : beginningQuery(value.pieces, writer);
}

interface Writer {
  readonly stem: Stem;
  word(word: string, prefix: boolean): string;
}

const WEIGHTS = { dataset: '', title: 'A', notes: 'C' } as const;
const suffix = (prefix: boolean, weight: string): string => (prefix || weight ? `:${prefix ? '*' : ''}${weight}` : '');

function termQuery(text: string, parts: 'all' | 'any', writer: Writer): string | null {
  const chunks = [...chunksOf(text, writer.stem)].map((chunk) => chunkQuery(chunk, parts, writer));
  return chunks.length > 0 ? joined(chunks, parts === 'all' ? '&' : '|') : null;
}

/** `wi-fi`: its parts, or both as one word. */
function chunkQuery({ parts, joined: one }: Chunk, how: 'all' | 'any', writer: Writer): string {
  const words = joined(
    parts.map((part) => near(part, writer)),
    how === 'all' ? '&' : '|',
  );
  return one === null ? words : joined([words, writer.word(one, false)], '|');
}

const joined = (queries: readonly string[], operator: string): string =>
  queries.length === 1 ? queries[0]! : `(${queries.join(` ${operator} `)})`;

/** Tokens at their places. Of a run of pairs, the character alone at its end is in the pair before it. */
function near(tokens: readonly Token[], writer: Writer, gaps: readonly number[] = []): string {
  const needed = tokens.filter((_token, index) => !isLastOfRun(tokens, index));
  const texts = needed.map(({ word }) => writer.word(word, isUnspaced(word) && Array.from(word).length === 1));
  return texts
    .reduce((before, text, index) => {
      if (index === 0) return text;
      const distance = needed[index]!.at - needed[index - 1]!.at + (gaps[index - 1] ?? 0);
      return `${before} <${distance}> ${text}`;
    }, '')
    .replace(/^(.* <.*)$/s, '($1)');
}

function isLastOfRun(tokens: readonly Token[], index: number): boolean {
  const { word, at } = tokens[index]!;
  const before = tokens[index - 1];
  if (!before || before.at !== at - 1 || !isUnspaced(word)) return false;
  const [first, second] = [Array.from(before.word), Array.from(word)];
  return second.length === 1 && first.length === 2 && first[1] === second[0];
}

function phraseQuery(text: string, slop: number, writer: Writer): string | null {
  const tokens = [...chunksOf(text, writer.stem)].flatMap(({ parts }) => parts.flat());
  if (tokens.length === 0) return null;
  const gaps = tokens.filter((_token, index) => !isLastOfRun(tokens, index)).length - 1;
  if (slop === 0 || gaps === 0) return near(tokens, writer);
  const ways = sharings(gaps, slop);
  if (ways === null) throw new SyntaxFault(`a phrase of so many words with a slop of ${slop} is not supported`, 1);
  const forward = ways.map((way) => near(tokens, writer, way));
  // Two words the other way round count as two moves.
  const turned = gaps === 1 && slop >= 2 ? sharings(1, slop - 2)!.map((way) => near(swapped(tokens), writer, way)) : [];
  return joined([...forward, ...turned], '|');
}

const swapped = ([first, second]: readonly Token[]): Token[] => [
  { word: second!.word, at: first!.at },
  { word: first!.word, at: second!.at },
];

/** Every way to put at most `slop` extra places into the gaps; null where there are too many. */
function sharings(gaps: number, slop: number): number[][] | null {
  let ways: number[][] = [[]];
  for (let gap = 0; gap < gaps; gap += 1) {
    ways = ways.flatMap((way) => {
      const left = slop - way.reduce((before, places) => before + places, 0);
      return Array.from({ length: left + 1 }, (_, places) => [...way, places]);
    });
    if (ways.length > MOST_WAYS) return null;
  }
  return ways;
}

/** Words that begin so: `riv*`. Other patterns are expanded before. */
function beginningQuery([first]: readonly Piece[], writer: Writer): string | null {
  if (!first || !('text' in first)) return null;
  const tokens = [...chunksOf(first.text, (word) => word)].flatMap(({ parts }) => parts.flat());
  const last = tokens.at(-1);
  if (!last) return null;
  if (/[^\p{L}\p{N}\p{M}]$/u.test(fold(first.text)))
    return near(
      tokens.map(({ word, at }) => ({ word: writer.stem(word), at })),
      writer,
    );
  const before = tokens
    .slice(0, -1)
    .filter((_token, index) => !isLastOfRun(tokens, index + 1) || index + 1 < tokens.length - 1);
  const begun = isUnspaced(last.word) && tokens.length > 1 ? near(tokens, writer) : null;
  if (begun !== null) return begun;
  const ends = [...new Set([writer.word(last.word, true), writer.word(writer.stem(last.word), false)])];
  if (before.length === 0) return joined(ends, '|');
  const head = before.map(({ word, at }) => ({ word: writer.stem(word), at }));
  return joined(
    ends.map((end) => `(${near(head, writer)} <${last.at - head.at(-1)!.at}> ${end})`),
    '|',
  );
}
