/** Two server processes on one database and one store: one receives a file that the other uses, one is killed during an upload. */
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

const SIZE = 200_000;
const TYPE = { 'content-type': 'application/octet-stream' };

let database: TestDatabase;
let folder: string;
let first: TestServer;
let second: TestServer;
let dataset: string;

beforeAll(async () => {
  database = await createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  first = await startServer(settings());
  second = await startServer(settings(), first);
  dataset = (await first.call('package_create', { name: 'shared' })).id;
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  await database?.end();
  rmSync(folder, { recursive: true, force: true });
});

const settings = () => ({ CATALOG__DATABASE_URL: database.url, CATALOG__DATA_DIR: folder });
const incoming = (): string[] => readdirSync(join(folder, 'files', '.incoming'));

const begin = async (at: TestServer) =>
  (await at.graph(`mutation { it: beginUpload(input: { size: ${SIZE} }) { upload { token } } }`)).it.upload.token;
const put = (at: TestServer, token: string, body: Uint8Array<ArrayBuffer>) =>
  fetch(`${at.base}/upload/${token}`, { method: 'PUT', headers: TYPE, body });
const use = async (at: TestServer, token: string) =>
  (
    await at.graph(`mutation { it: createResource(input: {
      dataset: "${dataset}", resource: { name: "data" }, upload: { token: "${token}", name: "data.bin" }
    }) { resource { url file { size } } errors { message } } }`)
  ).it;

it('a file that one process received is used once by another', async () => {
  const bytes = new Uint8Array(SIZE).fill(7);
  const token = await begin(second);
  expect((await put(first, token, bytes)).status).toBe(204);
  expect((await put(second, token, bytes)).status).toBe(409);
  const { resource, errors } = await use(second, token);
  expect([resource?.file.size, errors]).toEqual([SIZE, []]);
  const { pathname } = new URL(resource.url);
  const read = await fetch(first.base + pathname, { headers: { authorization: first.key } });
  expect(Buffer.from(await read.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
  expect((await use(first, token)).errors[0].message).toContain('already used');
});

it('killing a process fails only its upload, and the next start sweeps the partial file', async () => {
  const token = await begin(first);
  const broken = new Promise((resolve) => {
    const headers = { ...TYPE, 'content-length': SIZE };
    const req = http.request(`${first.base}/upload/${token}`, { method: 'PUT', headers });
    req.on('error', resolve);
    req.write(Buffer.alloc(SIZE / 2));
  });
  await until(() => incoming().length === 1);
  await first.stop('SIGKILL');
  await broken;

  expect((await put(second, token, new Uint8Array(SIZE))).status).toBe(204);
  expect((await use(second, token)).errors).toEqual([]);
  const [left] = incoming();
  const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
  utimesSync(join(folder, 'files', '.incoming', left!), old, old);
  first = await startServer(settings(), second);
  await until(() => incoming().length === 0, incoming);
});
