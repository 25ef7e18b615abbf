/** Compares a word with a pattern, or with another word by edit distance. */
import type { Piece } from '../query/syntax.ts';

/** Runs in O(word × pattern) for any pattern: each `*` matches as little as possible, and more on backtracking. */
export function fitsPattern(word: string, pieces: readonly Piece[]): boolean {
  const signs = pieces.flatMap((piece): (string | 'one' | 'many')[] =>
    'text' in piece ? Array.from(piece.text, (letter) => `=${letter}`) : [piece.any],
  );
  const letters = Array.from(word);
  let at = 0;
  let sign = 0;
  let star = -1;
  let from = 0;
  while (at < letters.length) {
    if (signs[sign] === 'one' || signs[sign] === `=${letters[at]}`) {
      at += 1;
      sign += 1;
    } else if (signs[sign] === 'many') {
      star = sign++;
      from = at;
    } else if (star >= 0) {
      sign = star + 1;
      at = ++from;
    } else return false;
  }
  while (signs[sign] === 'many') sign += 1;
  return sign === signs.length;
}

/** Whether the edit distance (insertions, deletions, substitutions, swaps of neighbours) is at most `max`. */
export function isWithin(a: string, b: string, max: number): boolean {
  if (Math.abs(a.length - b.length) > max) return false;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, before[column - 2]! + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > max) return false;
    [before, last] = [last, next];
  }
  return last[b.length]! <= max;
}
