/** Uploads and downloads files far larger than the server's memory limit. Measures the memory of the server process, and prints figures. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { envName } from '../../src/kernel/settings.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { figures, MIB, watched } from '../helpers/memory.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';

const MINUTES = 60_000;
/** Maximum memory growth. */
const MEMORY = 64 * MIB;
/** Files for a bucket are smaller, because the S3 server of the tests is slow. */
const SIZES = { folder: { one: 1024, each: 100 }, bucket: { one: 128, each: 12 } } as const;

onEachStore((start, kind) => {
  let store: TestStore;
  let database: TestDatabase;
  let server: TestServer;
  let datasetId: string;

  beforeAll(async () => {
    [store, database] = await Promise.all([start(), createDatabase()]);
    server = await startServer({
      ...Object.fromEntries(Object.entries(store.settings).map(([name, value]) => [envName(name), String(value)])),
      CATALOG__DATABASE_URL: database.url,
      CATALOG__LIMITS__UPLOAD: '2 GiB',
    });
    datasetId = (await server.call('package_create', { name: 'large' })).id;
    for (let index = 0; index < 20; index += 1) await upload(2); // warm-up
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await server?.stop();
    await Promise.all([database?.end(), store?.stop()]);
  }, MINUTES);

  /** Uploads a file of this many MiB, each MiB beginning with its number. Returns the resource. */
  const upload = (mib: number) =>
    send(`${server.base}/api/3/action/resource_create`, { package_id: datasetId, url: '' }, mib, server.key);
  const pathOf = (url: string) => server.base + new URL(url).pathname;

  it(
    'uploads and downloads one large file in constant memory',
    async () => {
      const { one } = SIZES[kind];
      const up = await watched(server.process, () => upload(one));
      const down = await watched(server.process, () => count(pathOf(up.result.url)));
      expect(down.result).toBe(one * MIB);
      for (const block of [0, one >> 1, one - 1]) {
        const range = `bytes=${block * MIB}-${block * MIB + 3}`;
        const part = await fetch(pathOf(up.result.url), { headers: { range } });
        expect([part.status, Buffer.from(await part.arrayBuffer()).readUInt32LE()]).toEqual([206, block]);
      }
      console.log(`${one} MiB, ${kind}: up ${figures(up)}; down ${figures(down)}`);
      expect([up.grew < MEMORY, down.grew < MEMORY]).toEqual([true, true]);
      await server.call('resource_delete', { id: up.result.id });
    },
    10 * MINUTES,
  );

  it(
    'accepts ten concurrent uploads without delaying other requests',
    async () => {
      const { each } = SIZES[kind];
      let busy = true;
      const waits: number[] = [];
      const asking = (async () => {
        while (busy) {
          const from = performance.now();
          const { status } = await fetch(`${server.base}/api/3/action/status_show`);
          waits.push(status === 200 ? performance.now() - from : Number.POSITIVE_INFINITY);
          await sleep(20);
        }
      })();
      const { result, ...measured } = await watched(server.process, () =>
        Promise.all(Array.from({ length: 10 }, () => upload(each))),
      );
      busy = false;
      await asking;
      waits.sort((a, b) => a - b);
      const wait = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]!;
      const ms = (share: number) => `${wait(share).toFixed(0)} ms`;
      console.log(
        `10 × ${each} MiB, ${kind}: ${figures(measured)}; status_show ${ms(0.5)} median, ${ms(0.95)} p95, ${ms(1)} worst of ${waits.length}`,
      );
      expect(result.every(({ url_type }) => url_type === 'upload')).toBe(true);
      expect(waits.length).toBeGreaterThan(10);
      // One long wait may be caused by the disk. A long median would be our fault.
      expect(wait(0.5)).toBeLessThan(2_000);
      for (const { id } of result) await server.call('resource_delete', { id });
    },
    10 * MINUTES,
  );
});

/** Sends a multipart form with a file of this many MiB, generated while it is sent. */
function send(url: string, fields: Record<string, string>, mib: number, key: string): Promise<any> {
  const head = Object.entries(fields).map(
    ([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  head.push('--b\r\ncontent-disposition: form-data; name="upload"; filename="large.bin"\r\n\r\n');
  const tail = '\r\n--b--\r\n';
  const length = head.join('').length + mib * MIB + tail.length;
  const headers = { authorization: key, 'content-type': 'multipart/form-data; boundary=b', 'content-length': length };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { success, result, error } = JSON.parse(Buffer.concat(chunks).toString());
        if (success) resolve(result);
        else reject(new Error(JSON.stringify(error)));
      });
    });
    request.on('error', reject);
    void (async () => {
      request.write(head.join(''));
      for (let block = 0; block < mib; block += 1) {
        const bytes = Buffer.alloc(MIB);
        bytes.writeUInt32LE(block);
        if (!request.write(bytes)) await new Promise((resume) => request.once('drain', resume));
      }
      request.end(tail);
    })();
  });
}

/** Downloads a file and returns its size in bytes. */
function count(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent: false }, (response) => {
        let size = 0;
        response.on('data', (chunk: Buffer) => (size += chunk.length));
        response.on('end', () => resolve(size));
        response.on('error', reject);
      })
      .on('error', reject);
  });
}
