/** Caches the indexed words in the process, to expand patterns and fuzzy terms. */
import type { Sql } from '../../infra/postgres/db.ts';
import { BySql } from '../../infra/postgres/traced.ts';
import type { TextMatch } from '../query/plan.ts';
import { SyntaxFault } from '../query/syntax.ts';
import { needsLookup } from '../query/words.ts';
import { fieldWord } from '../words/keys.ts';
import { fitsPattern, isWithin } from '../words/likeness.ts';
import { fold } from '../words/tokens.ts';
import { readWords } from './lexicon.sql.ts';

interface Lexicon {
  generation: string;
  /** Words of rows written by this transaction or a later one may be missing. */
  since: string;
  readonly words: Set<string>;
  readonly fieldWords: Set<string>;
}

const caches = new BySql<Lexicon>();

/** Maximum expanded words of one search. */
const MAX_WORDS = 1_000;
/** Maximum patterns and fuzzy terms of one search, because each scans all words. */
const MAX_EXPANSIONS = 10;
/** Words scanned before the event loop gets a turn. */
const AT_ONCE = 10_000;

/** Expanded words per pattern or fuzzy match. @throws SyntaxFault when there are too many */
export async function expansions(sql: Sql, matches: readonly TextMatch[]): Promise<Map<TextMatch, string[]>> {
  const needed = matches.filter(needsLookup);
  if (needed.length === 0) return new Map();
  if (needed.length > MAX_EXPANSIONS) throw new SyntaxFault(`more than ${MAX_EXPANSIONS} patterns and fuzzy terms`, 1);
  const lexicon = await lexiconOf(sql);
  const found = new Map<TextMatch, string[]>();
  let left = MAX_WORDS;
  for (const match of needed) {
    const words = await fitting(match, lexicon, left);
    found.set(match, words);
    left -= words.length;
  }
  return found;
}

async function lexiconOf(sql: Sql): Promise<Lexicon> {
  const of = caches.get(sql) ?? { generation: '', since: '0', words: new Set(), fieldWords: new Set() };
  const written = await readWords(sql, of.since);
  if (of.generation !== '' && of.generation !== written.generation) {
    caches.delete(sql);
    return lexiconOf(sql);
  }
  for (const word of written.words) of.words.add(word);
  for (const word of written.field_words) of.fieldWords.add(word);
  of.generation = written.generation;
  of.since = written.since;
  caches.set(sql, of);
  return of;
}

async function fitting({ field, value }: TextMatch, lexicon: Lexicon, max: number): Promise<string[]> {
  const isOwn = field.kind === 'ownWords';
  const before = isOwn ? fieldWord(field.of, '') : '';
  const fits = fitOf(value);
  const found: string[] = [];
  let looked = 0;
  for (const word of isOwn ? lexicon.fieldWords : lexicon.words) {
    if (++looked % AT_ONCE === 0) await new Promise(setImmediate);
    if (!word.startsWith(before) || !fits(word.slice(before.length))) continue;
    found.push(word.slice(before.length));
    if (found.length > max) throw new SyntaxFault(`its patterns and fuzzy terms match more than ${MAX_WORDS} words`, 1);
  }
  return found;
}

function fitOf(value: TextMatch['value']): (word: string) => boolean {
  if (value.kind === 'pattern') {
    const pieces = value.pieces.map((piece) => ('text' in piece ? { text: fold(piece.text).toLowerCase() } : piece));
    return (word) => fitsPattern(word, pieces);
  }
  const folded = fold(value.text).toLowerCase();
  const distance = (value.kind === 'term' && value.fuzzy) || 0;
  return (word) => isWithin(word, folded, distance);
}
