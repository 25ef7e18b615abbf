/** Writes search words as PostgreSQL's tsquery text. */
import type { TextMatch } from '../query/plan.ts';
import { oneOf, type Word, type Words, wordsOf } from '../query/words.ts';
import { fieldWord } from '../words/keys.ts';
import type { Stem } from '../words/stemmers.ts';
import { quoted } from '../words/vector.ts';

/** A column and its tsquery. */
export interface WordQuery {
  readonly column: 'words' | 'field_words';
  readonly query: string;
}

/** Null when there is no word to search. `expanded` contains the index words that match a pattern or a fuzzy term. @throws SyntaxFault */
export function wordQuery(match: TextMatch, stem: Stem, expanded: readonly string[] | undefined): WordQuery | null {
  if (expanded?.length === 0) return null;
  const words = expanded
    ? oneOf(expanded.map((word) => ({ kind: 'word', word, isBeginning: false })))
    : wordsOf(match, stem);
  if (words === null) return null;
  const { field } = match;
  return field.kind === 'words'
    ? {
        column: 'words',
        query: queryText(words, ({ word, isBeginning }) => written(word, isBeginning, WEIGHTS[field.of])),
      }
    : {
        column: 'field_words',
        query: queryText(words, ({ word, isBeginning }) => written(fieldWord(field.of, word), isBeginning, '')),
      };
}

const WEIGHTS = { dataset: '', title: 'A', notes: 'C' } as const;

const written = (word: string, isBeginning: boolean, weight: string): string =>
  `${quoted(word)}${isBeginning || weight ? `:${isBeginning ? '*' : ''}${weight}` : ''}`;

function queryText(words: Words, text: (word: Word) => string): string {
  if (words.kind === 'word') return text(words);
  if (words.kind !== 'near')
    return `(${words.of.map((part) => queryText(part, text)).join(words.kind === 'and' ? ' & ' : ' | ')})`;
  return `(${words.of
    .map((word, index) => (index === 0 ? text(word) : `<${word.at - words.of[index - 1]!.at}> ${text(word)}`))
    .join(' ')})`;
}
