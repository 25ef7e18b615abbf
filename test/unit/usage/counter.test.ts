/** The usage counter of a process: repeats, outages of the database, agents and limits. */
import { describe, expect, it } from '@jest/globals';
import { CRAWLER, createAgents, ROBOT } from '../../../src/usage/agents.ts';
import { type Batch, type Counter, createCounter } from '../../../src/usage/counter.ts';
import { flush } from '../../../src/usage/fold.service.ts';
import { storedWords } from '../../../src/usage/usage.rules.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const view = (id = 'a') => ({ kind: 'view', of: 'dataset', id }) as const;
const START = Date.parse('2026-11-23T23:59:00Z');

function counterAt(options: object = {}) {
  let time = START;
  const counter = createCounter({ now: () => time, ...options });
  return { counter, wait: (ms: number) => void (time += ms) };
}

/** Counts of all batches, by day, kind and object. */
const countsOf = (batches: readonly Batch[]): Record<string, number> =>
  Object.fromEntries(
    batches.flatMap(({ day, objects, kinds, counts }) =>
      objects.map((object, at) => [`${day} ${kinds[at]} ${object}`, counts[at]!]),
    ),
  );

describe('repeats', () => {
  it('do not count within 30 s of the last counted request', () => {
    const { counter, wait } = counterAt();
    for (const ms of [0, 10_000, 10_000, 9_999, 1, 29_999, 1]) {
      wait(ms);
      counter.count(view(), null, '192.0.2.1', BROWSER);
    }
    // at 0, 30 and 60 s
    expect(countsOf([...counter.take(), ...counter.take()])).toEqual({ '2026-11-23 1 da': 2, '2026-11-24 1 da': 1 });
    expect(counter.take()).toEqual([]);
  });

  it.each([
    ['another address', null, '192.0.2.2', BROWSER],
    ['another agent', null, '192.0.2.1', `${BROWSER} x`],
    ['an account', 'user', '192.0.2.1', BROWSER],
  ])('do not include requests of %s', (_name, user, address, agent) => {
    const { counter } = counterAt();
    counter.count(view(), null, '192.0.2.1', BROWSER);
    counter.count(view(), user, address, agent);
    counter.count(view(), user, address, agent);
    expect(countsOf(counter.take())).toEqual({ '2026-11-23 1 da': 2 });
  });

  it('count again after the clock is set back, on the right day', () => {
    const { counter, wait } = counterAt();
    wait(100 * 86_400_000);
    counter.count(view(), null, '192.0.2.1', BROWSER);
    wait(-100 * 86_400_000);
    counter.count(view(), null, '192.0.2.1', BROWSER);
    wait(10_000);
    counter.count(view(), null, '192.0.2.1', BROWSER);
    expect(countsOf([...counter.take(), ...counter.take()])).toEqual({ '2027-03-03 1 da': 1, '2026-11-23 1 da': 1 });
  });

  it('of an account count once from all its addresses and agents', () => {
    const { counter } = counterAt();
    for (const n of [1, 2, 3]) counter.count(view(), 'user', `192.0.2.${n}`, `${BROWSER} ${n}`);
    expect(countsOf(counter.take())).toEqual({ '2026-11-23 1 da': 1 });
  });

  it('of other kinds and objects count', () => {
    const { counter } = counterAt();
    counter.count(view(), null, '', BROWSER);
    counter.count({ ...view(), kind: 'read' }, null, '', BROWSER);
    counter.count({ ...view(), of: 'resource' }, null, '', BROWSER);
    counter.count({ kind: 'search', words: 'x', isEmpty: true }, null, '', BROWSER);
    expect(countsOf(counter.take())).toEqual({
      '2026-11-23 1 da': 1,
      '2026-11-23 3 da': 1,
      '2026-11-23 1 ra': 1,
      '2026-11-23 4 ': 1,
      '2026-11-23 5 ': 1,
      '2026-11-23 5 wx': 1,
    });
  });

  it('are remembered for a bounded number of callers, the newest ones', () => {
    const { counter } = counterAt({ maxCallers: 100 });
    for (let n = 0; n < 1_000; n += 1) counter.count(view(), null, `${n}`, BROWSER);
    for (const n of [999, 901, 0]) counter.count(view(), null, `${n}`, BROWSER);
    expect(countsOf(counter.take())).toEqual({ '2026-11-23 1 da': 1_001 });
  });
});

describe('a database that is down', () => {
  it('loses no counts, which are later stored in few batches', async () => {
    const { counter, wait } = counterAt();
    const stored: Batch[] = [];
    let isDown = true;
    const sql = {
      async rows(_statement: unknown, values: readonly unknown[] = []) {
        if (isDown) throw new Error('down');
        const [id, day, objects, kinds, counts] = values as never[];
        stored.push({ id, day, objects, kinds, counts } as never);
        return [];
      },
    };
    for (let second = 0; second < 100; second += 1) {
      counter.count(view(String(second % 3)), null, String(second), BROWSER);
      await expect(flush(counter, sql as never)).rejects.toThrow('down');
      wait(1_000);
    }
    isDown = false;
    await flush(counter, sql as never);
    await flush(counter, sql as never);
    expect(stored.length).toBeLessThanOrEqual(3);
    expect(stored.flatMap(({ counts }) => counts).reduce((sum, one) => sum + one, 0)).toBe(100);
    expect(counter.take()).toEqual([]);
  });

  it('keeps a bounded number of objects', () => {
    const { counter } = counterAt({ maxObjects: 10 });
    for (let n = 0; n < 15; n += 1) counter.count(view(String(n)), null, '', BROWSER);
    counter.count(view('3'), null, 'other', BROWSER);
    const counts = countsOf(counter.take());
    expect(Object.keys(counts)).toHaveLength(10);
    expect(counts['2026-11-23 1 d3']).toBe(2);
    expect(counter.lost()).toBe(5);
  });
});

describe('agents', () => {
  const verdict = createAgents();
  const bits = (agent: string) => verdict(agent) & (ROBOT | CRAWLER);

  it.each([
    [BROWSER],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0',
    ],
    [''],
  ])('people: %s', (agent) => expect(bits(agent)).toBe(0));

  it.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/103.0',
    ],
    ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)'],
    ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
    ['Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)'],
    ['Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)'],
  ])('search engines: %s', (agent) => expect(bits(agent)).toBe(ROBOT | CRAWLER));

  it.each([['curl/8.6.0'], ['Wget/1.20'], ['python-requests/2.32.3'], ['okhttp/5.0'], ['Go-http-client/2.0']])(
    'programs: %s',
    (agent) => expect(bits(agent)).toBe(ROBOT),
  );

  it('get a number each, up to a maximum number of agents', () => {
    expect(verdict('one') >> 2).not.toBe(verdict('two') >> 2);
    expect(verdict('one')).toBe(verdict('one'));
    const one = verdict('one');
    for (let n = 0; n < 6_000; n += 1) verdict(`agent ${n}`);
    expect(verdict('one')).not.toBe(one);
  });
});

it.each([
  [' Air   Quality ', 'air quality'],
  ['*:*', null],
  ['', null],
  ['x'.repeat(101), null],
  ['x'.repeat(100), 'x'.repeat(100)],
  ['a@b', null],
  ['+49 151 123', null],
  ['٠١٥١ ١٢٣٤٥٦٧', null],
  ['0151–123–4567', null],
  ['zebu＠quoll.invalid', null],
  ['1st 2nd 3rd 4th', '1st 2nd 3rd 4th'],
  ['2024 2025', null],
  ['census 2021', 'census 2021'],
  ['a\0b', null],
  ['\ud800', null],
])('words %j are stored as %j', (words, stored) => expect(storedWords(words)).toBe(stored));

it.each([
  ['of new callers', (n: number) => n],
  ['of repeats', (n: number) => n % 5_000],
])('counting costs a few microseconds at most: requests %s', (name, callerOf) => {
  const counter: Counter = createCounter();
  const addresses = Array.from({ length: 300_000 }, (_, n) => `2001:db8::${n.toString(16)}`);
  const id = (n: number) => `12345678-1234-1234-1234-${n % 1_000}`;
  const time = (count: number) => {
    const began = process.cpuUsage();
    for (let n = 0; n < count; n += 1)
      counter.count({ kind: 'read', of: 'dataset', id: id(n) }, null, addresses[callerOf(n)]!, BROWSER);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / count;
  };
  time(50_000);
  const cost = time(300_000);
  console.info(`usage: ${cost.toFixed(2)} µs of CPU per request ${name}`);
  expect(cost).toBeLessThan(10);
});
