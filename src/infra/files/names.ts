/** Names of files as people see them. */

/** Control characters, and those that show nothing or turn the direction of text: `\u202e` makes `gpj.exe` look like `exe.jpg`. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const MAX_LENGTH = 255;

/** A text without characters that cannot be seen. */
export const withoutUnseen = (text: string): string => text.replace(UNSEEN, '');

/** The last part of a name that may be a path: its last 255 characters, all of them visible; `file` where nothing is left of it. */
export function plainFileName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const plain = withoutUnseen(withoutUnseen(last).slice(-MAX_LENGTH)).trim(); // the cut can leave half a character
  return /^\.*$/.test(plain) ? 'file' : plain;
}
