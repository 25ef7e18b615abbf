/** Rules of robots.txt (RFC 9309) for this checker. Pure. */
import robotsParser from 'robots-parser';

/** The package declares a default export, and exports the function itself. */
const parse = robotsParser as unknown as typeof robotsParser.default;

/** Maximum characters of the rules for this checker: matching takes time by their length and that of a URL. */
const MAX_RULES = 50_000;
/** Maximum characters of a URL that rules are compared with. */
const MAX_URL = 2_000;
/** Maximum ms of a `Crawl-delay` that is respected. */
const MAX_DELAY = 60_000;

/**
 * Characters of a rule as the parser stores it, percent-encoded. Each character after a `*` is compared with the whole
 * URL, so wildcards cost more: 5,000 characters of them and a long URL take 20 ms.
 */
function costOf(value: string): number {
  const length = value.length * (/[^\x20-\x7e]/.test(value) ? 9 : 1);
  return value.includes('*') ? 10 * length : length;
}

/** The name of a user agent in robots.txt: the part before the first space or slash. */
export const nameOf = (userAgent: string): string => userAgent.split(/[/\s]/)[0]!.toLowerCase();

/**
 * The lines that concern this checker: groups for its name, and for all. Groups of others are dropped before the parser
 * reads them, because it stores each rule once for every agent of its group.
 */
export function relevantLines(text: string, name: string): string {
  const relevant: string[] = [];
  const known = ['*', name];
  let size = 0;
  let agents = new Set<string>();
  let isInRules = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:([^#]*)/i.exec(line) ?? [];
    const field = key.toLowerCase();
    if (field === 'user-agent') {
      if (isInRules) agents = new Set();
      isInRules = false;
      const agent = nameOf(value.trim());
      if (known.includes(agent)) agents.add(agent);
    } else if (field === 'allow' || field === 'disallow' || field === 'crawl-delay') {
      if (!isInRules && agents.size > 0) relevant.push(...[...agents].map((agent) => `user-agent: ${agent}`));
      isInRules = true;
      size += agents.size * (costOf(value) + 20);
      if (size > MAX_RULES) break;
      if (agents.size > 0) relevant.push(`${field}:${value}`);
    }
  }
  return relevant.join('\n');
}

/** Whether these lines allow the URL, and the ms that they want between requests. */
export function ruling(lines: string, name: string, url: URL): { isAllowed: boolean; pause: number } {
  if (lines === '') return { isAllowed: true, pause: 0 };
  const rules = parse(`${url.origin}/robots.txt`, lines);
  const delay = rules.getCrawlDelay(name) ?? 0;
  return {
    isAllowed: rules.isAllowed(url.href.slice(0, MAX_URL), name) !== false,
    pause: delay > 0 ? Math.min(delay * 1_000, MAX_DELAY) : 0,
  };
}
