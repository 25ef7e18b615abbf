/**
 * Sends only invalid lines to `POST /import`, as a user who may write and as one who may not, and checks that other requests are still
 * answered. Runs at the default heap and at 1 GB. Prints figures.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { figures, MIB, watched } from '../helpers/memory.ts';
import { startServer, type TestServer } from '../helpers/server.ts';

const MINUTES = 60_000;
/** Maximum wait of a small request in ms, with a margin for a busy machine. The regression that this test covers blocked for 4.9 s. */
const MAX_WAIT = 1_500;

const BODIES: Readonly<Record<string, string>> = {
  '60 KB of short bad lines': 'x\n'.repeat(30_000),
  '60 KB of bad records': '{"name":"A B"}\n'.repeat(4_000),
  '8 MB of empty lines and bad ones': `${'\n'.repeat(999)}x\n`.repeat(8_000),
  'deep lines': `${'['.repeat(50_000)}${']'.repeat(50_000)}\n`.repeat(40),
  'lines of many values': `{"extras":[${'0,'.repeat(90_000)}0]}\n`.repeat(40),
};

describe.each([
  ['the default heap', {}],
  ['a heap of 1 GB', { NODE_OPTIONS: '--max-old-space-size=1024' }],
])('at %s', (_heap, env) => {
  let database: TestDatabase;
  let server: TestServer;
  let plainKey: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({
      CATALOG__DATABASE_URL: database.url,
      CATALOG__AUTH__CREATE_UNOWNED_DATASET: 'false',
      CATALOG__LIMITS__IMPORT_FAILURES: '1000000',
      ...env,
    });
    const user = { name: 'plain', email: 'plain@example.com', password: 'long enough' };
    plainKey = (await server.call('user_create', user)).apikey;
  }, 3 * MINUTES);
  afterAll(async () => {
    await server?.stop();
    await database?.end();
  }, MINUTES);

  const post = (body: string, key: string) =>
    fetch(`${server.base}/import`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-ndjson', authorization: key },
    });

  /** Returns the longest wait of small requests while `work` runs, in ms. */
  async function longestWait(work: () => Promise<unknown>): Promise<number> {
    let busy = true;
    let longest = 0;
    const asking = (async () => {
      while (busy) {
        const from = performance.now();
        await (await fetch(`${server.base}/api/3/action/site_read`)).text();
        longest = Math.max(longest, performance.now() - from);
        await sleep(5);
      }
    })();
    try {
      await work();
    } finally {
      busy = false;
      await asking;
    }
    return longest;
  }

  it.each(Object.keys(BODIES))(
    'answers other requests during an import of %s',
    async (what) => {
      let answered = '';
      const measured = await watched(server.process, () =>
        longestWait(async () => {
          answered = await (await post(BODIES[what]!, server.key)).text();
        }),
      );
      console.log(`${what}: longest wait ${measured.result.toFixed(0)} ms; ${figures(measured)}`);
      expect(JSON.parse(answered.trimEnd().split('\n').at(-1)!).summary.failed).toBeGreaterThanOrEqual(40);
      expect(measured.result).toBeLessThan(MAX_WAIT);
      expect(measured.grew).toBeLessThan(256 * MIB);
    },
    10 * MINUTES,
  );

  it('returns 403 quickly to a user who may edit nothing', async () => {
    const waits = await longestWait(async () => {
      for (let n = 0; n < 20; n += 1)
        expect((await post(BODIES['60 KB of short bad lines']!, plainKey)).status).toBe(403);
    });
    expect(waits).toBeLessThan(MAX_WAIT);
  });
});
