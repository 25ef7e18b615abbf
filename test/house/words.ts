/** Words and constructions that this project no longer uses, and how to find them in text. Tests of docs, SDL and settings share them. */

interface Retired {
  /** How the report names it. */
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Matched in running text only: code, links and recorded names are taken out before. */
export const RETIRED: readonly Retired[] = [
  {
    name: 'told',
    pattern: /\b(?:is|are|was|were|be|been|being|what) told\b|\btold (?:of|so|about|whole)\b/gi,
    instead: 'visible, notified, reported',
  },
  {
    name: 'whoever',
    pattern: /\b(?:whoever|whomever|whichever|whatever|wherever)\b/gi,
    instead: 'the person or thing itself',
  },
  {
    name: 'nobody',
    pattern: /\b(?:nobody|somebody|everybody|anybody)\b/gi,
    instead: 'anonymous callers, all callers, the public',
  },
  { name: 'stranger', pattern: /\bstrangers?\b/gi, instead: 'caller, anonymous caller, untrusted' },
  { name: 'behind', pattern: /\bbehind (?!(?:a|the|your) (?:reverse )?prox)/gi, instead: 'after (a cursor)' },
  { name: 'sign of life', pattern: /\bsigns? of life\b/gi, instead: 'keep-alive' },
  { name: 'patience', pattern: /\bpatien(?:ce|t)\b/gi, instead: 'timeout' },
  { name: 'door', pattern: /\bdoors?\b/gi, instead: 'endpoint, interface' },
  { name: 'reckon', pattern: /\breckon(?:s|ed|ing)?\b/gi, instead: 'calculate' },
  { name: 'anew', pattern: /\banew\b/gi, instead: 'again' },
  { name: 'go on', pattern: /\b(?:go|goes|going|went|gone) on\b/gi, instead: 'continue' },
  { name: 'by itself', pattern: /\bby (?:itself|themselves)\b/gi, instead: 'automatically, alone' },
  { name: 'that is none', pattern: /\b(?:that|which) (?:is|are) none\b/gi, instead: 'invalid' },
  { name: 'kin', pattern: /\b(?:and|its|their) kin\b/gi, instead: 'name the others' },
  { name: 'for ever', pattern: /\bfor ever\b/gi, instead: 'permanently' },
  { name: 'but for', pattern: /\bbut for\b/gi, instead: 'except' },
  { name: 'as it comes', pattern: /\bas (?:it|they) (?:comes?|came|stands?|goes?)\b/gi, instead: 'unchanged' },
  { name: 'stands', pattern: /\bstands? (?:in|there|here|below|above|beside|inside|under)\b/gi, instead: 'is in' },
  { name: 'dealt with', pattern: /\b(?:deal|deals|dealt) with\b/gi, instead: 'process' },
  { name: 'in particular', pattern: /\bin particular\b/gi, instead: 'name it' },
  { name: 'take in', pattern: /\btakes? (?:it|them) in\b/gi, instead: 'import' },
  {
    name: 'clause as subject',
    pattern: /(?:^|(?<=[.!?:] ))(?:What|Who|Where|That which) (?![^.!?]*\?)/gm,
    instead: 'name the subject',
  },
  { name: 'most as a noun', pattern: /\b(?:a|its|their|the) most\b(?! \w)/gi, instead: 'maximum' },
];

/** Sentences of more words are hard to read aloud. */
export const MAX_WORDS = 25;

export interface Finding {
  readonly name: string;
  readonly text: string;
}

/** Uses of retired words in a text, each with some of its surroundings. */
export function retiredIn(wrapped: string): Finding[] {
  const text = wrapped.replace(/(?<=\S)[ ]*\n[ ]*(?=[^\s|#*\d-])/g, ' ');
  return RETIRED.flatMap(({ name, pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      name,
      text: `…${text.slice(Math.max(0, index - 30), index + found.length + 30).replaceAll('\n', ' ')}… → ${instead}`,
    })),
  );
}

/** Markdown without code, comments, link targets and HTML; lines keep their numbers. */
export const proseOf = (markdown: string): string =>
  markdown
    .replace(/^( *)```[\s\S]*?^\1```$/gm, blank)
    .replace(/<!-- run: (\S+) -->[\s\S]*?<!-- end: \1 -->/g, blank) // written by `npm run bench -- history`
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`\n]+`/g, '`x`')
    .replace(/\]\([^)\s]+\)/g, ']')
    .replace(/<https?:[^>]+>/g, 'x');

const blank = (text: string): string => text.replace(/[^\n]+/g, '');

/** Sentences of prose: paragraphs and list items, tables and headings aside. */
export function sentencesOf(prose: string): string[] {
  return prose
    .split(/\n(?=\s*(?:[-*]|\d+\.) )|\n\s*\n/)
    .map((block) =>
      block
        .split('\n')
        .filter((line) => !/^\s*(?:\||#)/.test(line))
        .join(' '),
    )
    .flatMap((block) =>
      block
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.!?:])\)?\*{0,2} (?=[*_`[("]*[\p{Lu}`[])/u),
    )
    .filter(Boolean);
}

export const wordCount = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Retired in messages and descriptions too, where shorter texts leave less doubt. Matched without regard to case where marked. */
const RETIRED_IN_MESSAGES: readonly { readonly pattern: RegExp; readonly use: string }[] = [
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b|\bto be told\b/i, use: 'visible, notified, sent' },
  { pattern: /\btells? (?:of|people|how|what|where)\b/i, use: 'says, reports, describes' },
  { pattern: /\bfor good\b/i, use: 'permanently' },
  { pattern: /\bby (?:itself|themselves|hand)\b/i, use: 'automatically, separately' },
  { pattern: /\bmade up\b/i, use: 'generated' },
  { pattern: /\b(?:left|leave|leaves) (?:out|aside|alone)\b/i, use: 'omitted, ignored, unchanged' },
  { pattern: /\b(?:is|are|was|were|be) (?:kept|asked for)\b/i, use: 'stored, requested' },
  { pattern: /\basked (?:for|too often|otherwise|again)\b/i, use: 'requested' },
  { pattern: /\bin any case\b/i, use: 'ignoring case; always' },
  { pattern: /\bmeanwhile\b/i, use: 'in the meantime, concurrently' },
  { pattern: /\bunder way\b/i, use: 'in progress, concurrent' },
  { pattern: /\b(?:came|come|comes) in\b/i, use: 'uploaded, received' },
  { pattern: /\b(?:given|give|gave) up\b(?! after)/i, use: 'failed, dead-lettered' },
  { pattern: /\b(?:taken|take|takes) (?:out|back|away|off|up)\b|\btakes in\b/i, use: 'removed, restored, resumed' },
  { pattern: /\bmoved on\b/i, use: 'changed' },
  { pattern: /\bnew wholes?\b/i, use: 'replacement values' },
  { pattern: /\bwent away\b|\bhas gone\b/i, use: 'disconnected' },
  { pattern: /\b(?:a|its|their|the|which is the) most\b(?! \w)/i, use: 'maximum, limit' },
  { pattern: /\bat most\b(?=[.;)]?$)/i, use: 'maximum …' },
  {
    pattern: /\b(?:is|are) no(?: \w+){1,3}\b(?<!is no longer.*|are no longer.*|there (?:is|are) no.*)/i,
    use: 'is not a …',
  },
  { pattern: /\bthe settings are not right\b/i, use: 'Invalid settings:' },
  { pattern: /(?:^|[.;:] )(?:What|Who|Whose|Where|That which) (?![^.]*\?)/, use: 'a noun as the subject' },
];

/** Uses of retired words in a message or description: each with the word to use. */
export const retiredInMessage = (text: string): string[] =>
  [...RETIRED.map(({ pattern, instead }) => ({ pattern, use: instead })), ...RETIRED_IN_MESSAGES].flatMap(
    ({ pattern, use }) => {
      const found = text.match(pattern)?.[0];
      return found === undefined ? [] : [`"${found.trim()}" → ${use}`];
    },
  );
