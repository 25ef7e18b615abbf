/** Highlights: fragments of a dataset's texts that contain words of the query. Pure. */
import type { DatasetBody } from '../../catalog/document/record.ts';
import type { Search } from '../engine.ts';
import type { Score, TextMatch } from '../query/plan.ts';
import type { Piece as Sign } from '../query/syntax.ts';
import { fragmentOf, type Highlights, type Piece } from '../words/marks.ts';
import type { Stem } from '../words/stemmers.ts';
import { chunksOf, fold, isUnspaced } from '../words/tokens.ts';

export interface HighlightRecord {
  readonly field: string;
  readonly pieces: Piece[];
}

/** Maximum patterns and runs, because each is searched separately in every text. */
const MAX_PARTS = 50;

/** Highlights of datasets that a search found. Reads the words of the query at its first call, because most searches request no highlights. */
export function highlighter({ plan, stem }: Search): (body: DatasetBody) => HighlightRecord[] {
  let terms: Highlights | null = null;
  return (body) => {
    terms ??= highlightTermsOf(plan.scores, stem);
    return highlightsOf(body, terms, stem);
  };
}

/** The scored words of a plan. A fuzzy term counts as typed, because comparing each word of each text takes too long. */
function highlightTermsOf(scores: readonly Score[], stem: Stem): Highlights {
  const words = new Set<string>();
  const patterns: Sign[][] = [];
  const runs = new Set<string>();
  for (const { value } of scores.flatMap(({ of }) =>
    of.flatMap(({ match }) => (match.kind === 'text' ? [match] : [])),
  )) {
    const text = textOf(value);
    if (value.kind === 'pattern') patterns.push(value.pieces.map(folded));
    else
      for (const { parts, joined } of chunksOf(text, stem)) {
        for (const part of parts) if (!isUnspaced(part[0]!.word)) words.add(part[0]!.word);
        if (joined !== null) words.add(joined);
      }
    for (const [run] of fold(text).toLowerCase().matchAll(UNSPACED)) runs.add(run);
  }
  return { words, patterns: patterns.slice(0, MAX_PARTS), runs: [...runs].slice(0, MAX_PARTS) };
}

const folded = (sign: Sign): Sign => ('text' in sign ? { text: fold(sign.text).toLowerCase() } : sign);

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー々]+/gu;

function textOf(value: TextMatch['value']): string {
  if (value.kind !== 'pattern') return value.text;
  const [first] = value.pieces;
  return first && 'text' in first ? first.text : '';
}

/** One fragment per text that contains any of the words: title, notes, tags, author, maintainer, resources. */
export function highlightsOf(body: DatasetBody, highlights: Highlights, stem: Stem): HighlightRecord[] {
  if (highlights.words.size + highlights.patterns.length + highlights.runs.length === 0) return [];
  const texts: [string, string | null][] = [
    ['title', body.title],
    ['notes', body.notes],
    ['tags', body.tags.map(({ name }) => name).join(', ')],
    ['author', body.author],
    ['maintainer', body.maintainer],
    [
      'resources',
      body.resources
        .flatMap(({ name, description }) => [name, description])
        .filter(Boolean)
        .join(' – '),
    ],
  ];
  return texts.flatMap(([field, text]) => {
    const pieces = text ? fragmentOf(text, highlights, stem) : null;
    return pieces ? [{ field, pieces }] : [];
  });
}
