/** Provides word stems by language (Snowball algorithms). Words of other languages stay unchanged. */

export type Stem = (word: string) => string;

const LOADERS: Readonly<Record<string, () => Promise<{ stemmer: Stem }>>> = {
  ar: () => import('@orama/stemmers/arabic'),
  bg: () => import('@orama/stemmers/bulgarian'),
  da: () => import('@orama/stemmers/danish'),
  de: () => import('@orama/stemmers/german'),
  el: () => import('@orama/stemmers/greek'),
  en: () => import('@orama/stemmers/english'),
  es: () => import('@orama/stemmers/spanish'),
  fi: () => import('@orama/stemmers/finnish'),
  fr: () => import('@orama/stemmers/french'),
  ga: () => import('@orama/stemmers/irish'),
  hu: () => import('@orama/stemmers/hungarian'),
  hy: () => import('@orama/stemmers/armenian'),
  it: () => import('@orama/stemmers/italian'),
  lt: () => import('@orama/stemmers/lithuanian'),
  nb: () => import('@orama/stemmers/norwegian'),
  nl: () => import('@orama/stemmers/dutch'),
  no: () => import('@orama/stemmers/norwegian'),
  pt: () => import('@orama/stemmers/portuguese'),
  ro: () => import('@orama/stemmers/romanian'),
  ru: () => import('@orama/stemmers/russian'),
  sr: () => import('@orama/stemmers/serbian'),
  sv: () => import('@orama/stemmers/swedish'),
  tr: () => import('@orama/stemmers/turkish'),
};

const asIs: Stem = (word) => word;
const loaded = new Map<string, Promise<Stem>>();

/** The stemmer for a locale such as `en` or `pt_BR`. */
export function stemsOf(locale: string): Promise<Stem> {
  const language = locale.split(/[_-]/, 1)[0]!.toLowerCase();
  let stem = loaded.get(language);
  if (!stem) {
    const load = Object.hasOwn(LOADERS, language) ? LOADERS[language]! : null;
    stem = load ? load().then(({ stemmer }) => remembering(stemmer)) : Promise.resolve(asIs);
    loaded.set(language, stem);
  }
  return stem;
}

/** Maximum cached stems; words repeat. */
const MAX_CACHED = 20_000;
/** Maximum characters of a word to stem. Longer tokens are keys or numbers, and stay unchanged. */
const MAX_LENGTH = 40;

function remembering(stem: Stem): Stem {
  const known = new Map<string, string>();
  return (word) => {
    if (word.length > MAX_LENGTH) return word;
    let stemmed = known.get(word);
    if (stemmed === undefined) {
      if (known.size >= MAX_CACHED) known.clear();
      known.set(word, (stemmed = stem(word) || word));
    }
    return stemmed;
  };
}
