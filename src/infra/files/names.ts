/** Display names of files. */

/** Control characters, invisible characters and those that change the text direction: `\u202e` makes `gpj.exe` look like `exe.jpg`. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const MAX_LENGTH = 255;

/** Removes invisible characters. */
export const withoutUnseen = (text: string): string => text.replace(UNSEEN, '');

/** The last part of a name that may be a path: its last 255 visible characters; `file` if nothing remains. */
export function plainFileName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const plain = withoutUnseen(withoutUnseen(last).slice(-MAX_LENGTH)).trim(); // the cut can leave half a surrogate pair
  return /^\.*$/.test(plain) ? 'file' : plain;
}
