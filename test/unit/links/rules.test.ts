import { describe, expect, it } from '@jest/globals';
import { addressOf, type Before, DAY, hostOf, judge, type Probe, pauseAfter } from '../../../src/links/link.rules.ts';
import { relevantLines, ruling } from '../../../src/links/robots.rules.ts';
import { retryAfterOf, visitFor } from '../../../src/links/visit.ts';

const NEW: Before = { verdict: null, failures: 0 };
const found = (more: Partial<Probe>): Probe => ({
  status: 200,
  failure: null,
  hops: [],
  size: null,
  mediaType: null,
  etag: null,
  lastModified: null,
  retryAfter: null,
  ...more,
});
const hop = (to: string, isPermanent: boolean) => ({ to, isPermanent });

describe('verdicts', () => {
  it.each([
    [200, 'ok', null],
    [206, 'ok', null],
    [304, 'ok', null],
    [416, 'ok', null],
    [300, 'broken', 'bad_redirect'],
    [400, 'unknown', 'http_error'],
    [401, 'forbidden', 'denied'],
    [403, 'forbidden', 'denied'],
    [404, 'broken', 'not_found'],
    [408, 'unknown', 'timeout'],
    [410, 'broken', 'gone'],
    [429, 'unknown', 'rate_limited'],
    [451, 'forbidden', 'denied'],
    [500, 'unknown', 'server_error'],
    [504, 'unknown', 'timeout'],
  ])('for status %d are %s (%s)', (status, verdict, reason) => {
    expect(judge(found({ status }), NEW, 'CSV', 3)).toMatchObject({ verdict, reason });
  });

  it('are broken after the configured number of consecutive failures, until a success', () => {
    const failed = found({ status: null, failure: 'timeout' });
    const first = judge(failed, NEW, '', 3);
    const second = judge(failed, first, '', 3);
    const third = judge(failed, second, '', 3);
    expect([first, second, third].map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown', 'broken']);
    expect(judge(failed, { verdict: 'broken', failures: 1 }, '', 3).verdict).toBe('broken');
    expect(judge(found({}), third, '', 3)).toMatchObject({ verdict: 'ok', failures: 0 });
  });

  it('are never broken because of rate limits', () => {
    const busy = found({ status: 429 });
    expect(judge(busy, { verdict: 'unknown', failures: 2 }, '', 3)).toMatchObject({ verdict: 'unknown', failures: 2 });
  });

  it('use the end of the permanent redirects as the new URL', () => {
    const permanent = [hop('http://b', true), hop('http://c', true)];
    const moved = (hops: Probe['hops']) => judge(found({ hops }), NEW, '', 3);
    expect(moved(permanent)).toMatchObject({ verdict: 'moved', finalUrl: 'http://c' });
    expect(moved([...permanent, hop('http://d', false)])).toMatchObject({ verdict: 'moved', finalUrl: 'http://c' });
    expect(moved([hop('http://b', false), hop('http://c', true)])).toMatchObject({
      verdict: 'ok',
      finalUrl: 'http://c',
    });
  });

  it('report a web page where data is expected', () => {
    const page = found({ mediaType: 'text/html' });
    expect(judge(page, NEW, 'CSV', 3)).toMatchObject({ verdict: 'ok', reason: 'wrong_type' });
    expect(judge(page, NEW, 'HTML', 3)).toMatchObject({ verdict: 'ok', reason: null });
    expect(judge(page, NEW, '', 3)).toMatchObject({ verdict: 'ok', reason: null });
  });
});

describe('pauses', () => {
  const pause = (
    verdict: 'ok' | 'unknown' | 'broken',
    failures: number,
    brokenFor = 0,
    retryAfter: number | null = null,
  ) => pauseAfter({ verdict, failures }, retryAfter, brokenFor, 7 * DAY, 0.5) / DAY;

  it('are the interval plus or minus a tenth', () => {
    expect(pause('ok', 0)).toBeCloseTo(7);
    expect(pauseAfter({ verdict: 'ok', failures: 0 }, null, 0, DAY, 0)).toBeCloseTo(0.9 * DAY);
    expect(pauseAfter({ verdict: 'ok', failures: 0 }, null, 0, DAY, 1)).toBeCloseTo(1.1 * DAY);
  });

  it('grow from an hour for temporary failures', () => {
    expect([1, 2, 3, 9].map((failures) => pause('unknown', failures) * 24)).toEqual(
      [1, 6, 24, 24].map((n) => expect.closeTo(n)),
    );
  });

  it('are 1, 2, 4 and 7 days for broken links', () => {
    let brokenFor = 0;
    const pauses = [1, 2, 3, 4, 5].map((failures) => {
      const days = pause('broken', failures, brokenFor);
      brokenFor += days * DAY;
      return days;
    });
    expect(pauses).toEqual([1, 2, 4, 7, 7].map((n) => expect.closeTo(n)));
  });

  it('last as long as Retry-After says, up to a week', () => {
    expect(pause('unknown', 0, 0, 2 * DAY)).toBeCloseTo(2);
    expect(pause('unknown', 0, 0, 30 * DAY)).toBeCloseTo(7);
  });
});

describe('robots.txt', () => {
  const NAME = 'catalog-link-checker';
  const allows = (text: string, path: string) =>
    ruling(relevantLines(text, NAME), NAME, new URL(path, 'https://example.org')).isAllowed;

  it('applies the group of this checker, or the group for all agents', () => {
    const text = `User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n\nUser-agent: x\nUser-Agent: Catalog-Link-Checker/1.0\nDisallow: /b # not this\nAllow: /b/open\nCrawl-delay: 5`;
    expect(['/', '/a', '/b', '/b/c', '/b/open'].map((path) => allows(text, path))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
    expect(ruling(relevantLines(text, NAME), NAME, new URL('https://example.org/')).pause).toBe(5_000);
    expect(['/', '/a'].map((path) => allows('User-agent: *\nDisallow: /a', path))).toEqual([true, false]);
  });

  it('supports wildcards and files without rules', () => {
    expect(allows('User-agent: *\nDisallow: /*.csv$', '/x/y.csv')).toBe(false);
    expect(allows('User-agent: *\nDisallow: /*.csv$', '/x/y.csv?z')).toBe(true);
    for (const text of ['', 'User-agent: *\nDisallow:', '<html>not found</html>']) expect(allows(text, '/')).toBe(true);
  });

  it('takes little time and memory for any content', () => {
    const agents = Array.from({ length: 20_000 }, (_, n) => `User-agent: a${n}`).join('\n');
    const many = `${agents}\nUser-agent: *\n${'Disallow: /x\n'.repeat(15_000)}`;
    const wild = `User-agent: *\nDisallow: ${'*a'.repeat(250_000)}b`;
    const long = `User-agent: *\n${'Disallow: /*a*a*a*a*a*a*a*ab\n'.repeat(15_000)}`;
    const url = `https://example.org/${'a'.repeat(10_000)}`;
    for (const text of [many, wild, long]) {
      const start = performance.now();
      const lines = relevantLines(text, NAME);
      expect(lines.length).toBeLessThanOrEqual(100_000);
      ruling(lines, NAME, new URL(url));
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });
});

describe('addresses', () => {
  it.each([
    ['https://user:secret@Data.Example./a#b', 'https://data.example/a'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    [`https://${'a.'.repeat(126)}b/`, `https://${'a.'.repeat(126)}b/`],
    [`https://${'a.'.repeat(127)}b/`, null],
    [`https://x.test/${'a'.repeat(1_985)}`, `https://x.test/${'a'.repeat(1_985)}`],
    [`https://x.test/${'a'.repeat(1_986)}`, null],
  ])('%.40s', (text, expected) => expect(addressOf(text)?.href ?? null).toBe(expected));

  it('have the same host with and without a trailing dot', () =>
    expect(hostOf('http://data.example./x')).toBe('data.example'));
});

it.each([
  ['120', 120_000],
  ['99999999999999999999', 1e23],
  ['-5', 0],
  ['soon', null],
])('Retry-After %s', (text, wait) => expect(retryAfterOf({ 'retry-after': text })).toBe(wait));

it('sends no request after the timeout of a check', async () => {
  const sent: URL[] = [];
  const visit = visitFor(async (url) => {
    sent.push(url);
    return { failure: 'dns', isRefusal: false };
  }, 0);
  expect(await visit(new URL('http://x.test'), { method: 'GET' })).toEqual({ failure: 'timeout', isRefusal: false });
  expect(sent).toEqual([]);
});

it.each(['a', '€'])('evaluates hostile robots.txt rules in milliseconds: %s', (sign) => {
  const text = `User-agent: *\n${`Disallow: /*${`${sign}*`.repeat(400)}$b\n`.repeat(600)}`;
  const lines = relevantLines(text, 'checker');
  const url = new URL(`http://x.test/${sign.repeat(sign === 'a' ? 1_980 : 220)}`);
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage().user;
    ruling(lines, 'checker', url);
    return process.cpuUsage().user - start;
  });
  expect(Math.min(...times)).toBeLessThan(60_000); // the minimum, because garbage collection for other tests adds to some runs
});
