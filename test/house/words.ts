/** Words and constructions that this project no longer writes, with the word to use. Checked over texts that people read. */
export const retiredWords: readonly { readonly pattern: RegExp; readonly use: string }[] = [
  { pattern: /\b(?:whoever|whomever|whichever|whatever|wherever)\b/i, use: 'the person or thing itself' },
  { pattern: /\b(?:nobody|somebody|everybody|anybody)\b/i, use: 'anonymous callers, another user, everyone' },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) told\b|\btold (?:of|so|about|whole)\b/i,
    use: 'visible, notified, sent',
  },
  { pattern: /\btells? (?:of|people|how|what|where|whether)\b/i, use: 'says, reports, describes, checks' },
  { pattern: /\bbehind (?!(?:a|the) (?:reverse )?proxy)/i, use: 'after' },
  { pattern: /\bdoors?\b/i, use: 'endpoint, API' },
  { pattern: /\bpatien(?:ce|t)\b/i, use: 'timeout' },
  { pattern: /\banew\b/i, use: 'again' },
  { pattern: /\b(?:go|goes|going|went|gone) on\b/i, use: 'continue' },
  { pattern: /\bfor good\b/i, use: 'permanently' },
  { pattern: /\bfor ever\b/i, use: 'permanently' },
  { pattern: /\bby (?:itself|themselves|hand)\b/i, use: 'automatically, separately' },
  { pattern: /\bbut for\b/i, use: 'except' },
  { pattern: /\bmade up\b/i, use: 'generated' },
  { pattern: /\b(?:left|leave|leaves) (?:out|aside|alone)\b/i, use: 'omitted, ignored, unchanged' },
  { pattern: /\b(?:is|are|was|were|be) (?:kept|asked for)\b/i, use: 'stored, requested' },
  { pattern: /\basked (?:for|too often|otherwise|again)\b/i, use: 'requested' },
  { pattern: /\bin any case\b/i, use: 'ignoring case; always' },
  { pattern: /\bmeanwhile\b/i, use: 'in the meantime, concurrently' },
  { pattern: /\bunder way\b/i, use: 'in progress, concurrent' },
  { pattern: /\b(?:came|come|comes) in\b/i, use: 'uploaded, received' },
  { pattern: /\b(?:given|give|gave) up\b(?! after)/i, use: 'failed, dead-lettered' },
  {
    pattern: /\b(?:taken|take|takes) (?:out|back|away|off|up(?! to))\b|\btakes in\b/i,
    use: 'removed, restored, resumed',
  },
  { pattern: /\bmoved on\b/i, use: 'changed' },
  { pattern: /\bnew wholes?\b/i, use: 'replacement values' },
  { pattern: /\bwent away\b|\bhas gone\b/i, use: 'disconnected' },
  { pattern: /\b(?:a|its|their|the|which is the) most\b(?! \w)/i, use: 'maximum, limit' },
  { pattern: /\bat most\b(?=[.;)]?$)/i, use: 'maximum …' },
  {
    pattern: /\b(?:is|are) no(?: \w+){1,3}\b(?<!is no longer.*|are no longer.*|there (?:is|are) no.*)/i,
    use: 'is not a …',
  },
  { pattern: /\b(?:that|which) (?:is|are) none\b/i, use: 'invalid' },
  { pattern: /\bas (?:it|they) (?:comes?|came|stands?|goes?)\b/i, use: 'unchanged' },
  { pattern: /\bsigns? of life\b/i, use: 'keep-alive' },
  { pattern: /\breckon(?:s|ed|ing)?\b/i, use: 'calculate' },
  { pattern: /\bstrangers?\b/i, use: 'anonymous callers' },
  { pattern: /\bthe settings are not right\b/i, use: 'Invalid settings:' },
  { pattern: /(?:^|[.;:] )(?:What|Who|Whose|Where|That which) (?![^.]*\?)/, use: 'a noun as the subject' },
  { pattern: /\b(?:and|its|their) kin\b/i, use: 'the names of the others' },
  { pattern: /\bstands? (?:in|there|here|below|above|beside|inside|under)\b/i, use: 'is in' },
  { pattern: /\b(?:deal|deals|dealt) with\b/i, use: 'process' },
  { pattern: /\bin particular\b/i, use: 'the name of the thing' },
  { pattern: /\bswitched (?:on|off)\b/i, use: 'enabled, disabled' },
  { pattern: /\bstands? for (?:many|more|several|the)\b/i, use: 'matches, means, represents' },
  { pattern: /\bchanges? of rights\b/i, use: 'changes of permissions' },
  { pattern: /\b[Mm]ust be (?:a text|texts)\b/, use: 'a string' },
];

/** Uses of retired words in a text: each with the word to use. */
export const retiredIn = (text: string): string[] =>
  retiredWords.flatMap(({ pattern, use }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`"${found.trim()}" → ${use}`];
  });

/** Words that names of functions, types and constants no longer contain, with the word to use. */
const retiredNames: readonly { readonly pattern: RegExp; readonly use: string }[] = [
  { pattern: /^(?:told|tells?|teller)$/, use: 'visible, notify' },
  { pattern: /^kept$/, use: 'cached, stored' },
  { pattern: /^(?:asked|wanted)$/, use: 'requested' },
  { pattern: /^(?:who|what|which|where)ever$/, use: 'the person or thing itself' },
  { pattern: /^(?:nobody|somebody|everybody|anybody|strangers?)$/, use: 'anonymous, other, all' },
  { pattern: /^(?:doors?|entrance)$/, use: 'endpoint, server' },
  { pattern: /^deliverers?$/, use: 'dispatcher' },
  { pattern: /^(?:most|longest|deepest|shortest)$/, use: 'max, min' },
  { pattern: /^patience$/, use: 'timeout' },
  { pattern: /^places?$/, use: 'position, cursor, index' },
  { pattern: /^behind$/, use: 'after' },
  { pattern: /^(?:stands|standing)$/, use: 'isValid' },
  { pattern: /^room$/, use: 'capacity' },
  { pattern: /^(?:anew|meanwhile)$/, use: 'again, concurrently' },
];

/** Retired words in a name: each with the word to use. */
export function retiredNamesIn(name: string): string[] {
  const words = name.split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase());
  return words.flatMap((word, at) => {
    if (/^letters?$/.test(word) && words[at - 1] !== 'dead') return [`"${word}" → deadLetter`];
    return retiredNames.filter(({ pattern }) => pattern.test(word)).map(({ use }) => `"${word}" → ${use}`);
  });
}

/** Sentences of more words are hard to read aloud. */
export const MAX_WORDS = 25;

/** Markdown without code, comments and link targets. Lines keep their numbers. */
export const proseOf = (markdown: string): string =>
  markdown
    .replace(/^( *)```[\s\S]*?^\1```$/gm, blank)
    .replace(/<!-- (run|against): (\S+) -->[\s\S]*?<!-- end: (?:\1: )?\2 -->/g, blank) // written by `npm run bench -- history`
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`\n]+`/g, '`x`')
    .replace(/\]\([^)\s]+\)/g, ']')
    .replace(/<https?:[^>]+>/g, 'x');

const blank = (text: string): string => text.replace(/[^\n]+/g, '');

/** Paragraphs, list items, headings and cells of tables, each on one line. */
export const blocksOf = (prose: string): string[] =>
  prose
    .split(/\n(?=\s*(?:[-*]|\d+\.) |\s*\||#)|(?<=\n *(?:\||#).*)\n|\n\s*\n/)
    .flatMap((block) => (/^\s*\|/.test(block) ? block.split('|') : [block]))
    .map((block) => block.replace(/\s+/g, ' ').trim())
    .filter(Boolean);

export const sentencesOf = (block: string): string[] => block.split(/(?<=[.!?:])\)?\*{0,2} (?=[*_`[("]*[\p{Lu}`[])/u);

export const wordCount = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
