/** Recognizes robots by their User-Agent, with the list of the package `isbot` (docs/decisions/0038). */
import { createIsbotFromList, isbot, list } from 'isbot';

/**
 * Programs that people use to download data. `isbot` lists them as robots. They open no pages, so they do not count as
 * views, but their downloads and API reads count.
 */
const PROGRAMS = [
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.31.0',
  'Python-urllib/3.12',
  'python-httpx/0.27.0',
  'Python/3.12 aiohttp/3.9.1',
  'axios/1.6.2',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  'node',
  'undici',
  'got (https://github.com/sindresorhus/got)',
  'Deno/1.40.0',
  'Bun/1.0.0',
  'Go-http-client/1.1',
  'okhttp/4.12.0',
  'Java/17.0.1',
  'Java-http-client/17.0.1',
  'Apache-HttpClient/4.5.13 (Java/17.0.1)',
  'libwww-perl/6.68',
  'libcurl/7.81.0 r-curl/5.0.0 httr/1.4.7',
  'ckanapi/4.7 (+https://github.com/ckan/ckanapi)',
  'ckanext-harvest',
  'PostmanRuntime/7.36.0',
  'GuzzleHttp/7',
  'PowerShell/7.4.0',
  'QGIS/3.34',
  'Ruby',
  'Faraday v2.7.4',
  'reqwest/0.11',
];

/** The patterns of robots that match none of these programs. */
const isCrawler = createIsbotFromList(
  list.filter((pattern) => {
    const matches = new RegExp(pattern, 'i');
    return !PROGRAMS.some((agent) => matches.test(agent));
  }),
);

/** Verdicts on an agent as bits, below its number. */
export const [ROBOT, CRAWLER, NUMBER] = [1, 2, 4];
/** Maximum agents in the cache, and characters of one. */
const MAX_AGENTS = 5_000;
const MAX_LENGTH = 512;

/** Verdicts by agent, each with a number that names the agent until the cache is emptied. */
export function createAgents(): (agent: string) => number {
  const known = new Map<string, number>();
  let last = 0;
  return (agent) => {
    const found = known.get(agent);
    if (found !== undefined) return found;
    if (known.size >= MAX_AGENTS) known.clear();
    const looked = agent.slice(0, MAX_LENGTH);
    last += NUMBER;
    const verdict = last + (isbot(looked) ? ROBOT : 0) + (isCrawler(looked) ? CRAWLER : 0);
    if (agent.length <= MAX_LENGTH) known.set(agent, verdict);
    return verdict;
  };
}
