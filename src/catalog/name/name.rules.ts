/** Makes names from texts, as CKAN does (CKAN 2.4 lib/munge.py). Pure. */

const LETTERS: Readonly<Record<string, string>> = {
  Æ: 'Ae',
  Ð: 'Th',
  Ø: 'O',
  Þ: 'th',
  ß: 'ss',
  æ: 'ae',
  ð: 'th',
  ø: 'o',
  þ: 'th',
};

/** Transliterates Latin-1 letters to ASCII; all other characters beyond ASCII are dropped. */
const ascii = (text: string): string =>
  [...text]
    .map((char) => {
      if (char < '\u0080') return char;
      if (char > '\u00ff') return '';
      return LETTERS[char] ?? (/\p{L}/u.test(char) ? char.normalize('NFD').charAt(0) : '');
    })
    .join('')
    .replace(/[^\p{ASCII}]/gu, '');

const MIN = 2;
const MAX = 100;
/** Maximum length of a name from a title; five characters remain for a suffix that makes it unique. */
const TITLE_MAX = 95;

const fitted = (text: string): string => text.padEnd(MIN, '_').slice(0, MAX);

const hyphenated = (text: string): string =>
  ascii(text)
    .replace(/[ .:/]/g, '-')
    .replace(/[^a-zA-Z0-9_-]/g, '')
    .toLowerCase();

/** A year, or two of them, at the end of a name. */
const YEAR = /[_-]((?:\d{2,4}[-/])?\d{2,4})$/;

function shortened(name: string): string {
  if (name.length <= TITLE_MAX) return name;
  const year = YEAR.exec(name)?.[1];
  return year ? `${name.slice(0, TITLE_MAX - year.length - 1)}-${year}` : name.slice(0, TITLE_MAX);
}

const MAKE = {
  NAME: hyphenated,
  TITLE: (text: string) =>
    shortened(
      hyphenated(text)
        .replaceAll('--', '-')
        .replace(/^-+|-+$/g, ''),
    ),
  TAG: (text: string) =>
    ascii(text)
      .toLowerCase()
      .trim()
      .replace(/[^a-z0-9\- ]/g, '')
      .replaceAll(' ', '-'),
} as const;

export type SlugKind = keyof typeof MAKE;

/** The text as a name of its kind. Only the start of a very long text is used. */
export const slugOf = (text: string, kind: SlugKind): string => fitted(MAKE[kind](text.slice(0, 10_000)));

/** Names that are paths of the site's pages. */
const RESERVED: ReadonlySet<string> = new Set(['new', 'edit', 'search']);

export const isReserved = (name: string): boolean => RESERVED.has(name);
