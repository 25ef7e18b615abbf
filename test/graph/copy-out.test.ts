/** COPY … TO STDOUT as a stream: every byte arrives once and in order, with packets of any size. */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { CopyOut } from '../../src/infra/postgres/copy-out.ts';
import { createEmptyDatabase, type TestDatabase } from '../helpers/database.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.end());

/** A connection that splits packets into chunks of `size` bytes. */
class Cut extends Socket {
  size = 1;
  override push(packet: Buffer | null): boolean {
    if (packet === null) return super.push(null);
    let wants = true;
    for (let at = 0; at < packet.length; at += this.size)
      wants = super.push(Buffer.from(packet.subarray(at, at + this.size)));
    return wants;
  }
}

async function connect(size?: number): Promise<pg.Client> {
  const stream = size === undefined ? undefined : () => Object.assign(new Cut(), { size });
  client = new pg.Client({ connectionString: database.url, ...(stream && { stream }) });
  client.on('error', () => {}); // the statement rejects with it
  await client.connect();
  return client;
}

async function textOf(rows: CopyOut): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of rows) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString();
}

/** Lengths of rows, from shorter than the header of a message to longer than any packet. */
const SIZES = [0, 1, 3, 200, 9_000, 200_000, 0, 70_000];
const ROWS = `SELECT n, repeat(chr((97 + n)::int), s) FROM unnest(ARRAY[${SIZES}]) WITH ORDINALITY t(s, n)`;
const LINES = SIZES.map((size, n) => `${n + 1},${size === 0 ? '""' : String.fromCharCode(98 + n).repeat(size)}\n`).join(
  '',
);

describe('COPY TO STDOUT', () => {
  it.each([1, 2, 4, 5, 6, 7, 4_096, undefined])(
    'arrives complete in packets of %s bytes, and the connection stays usable',
    async (size) => {
      const { query } = await connect(size).then((connected) => ({ query: connected.query.bind(connected) }));
      for (let times = 0; times < 2; times += 1) {
        expect(await textOf(query(new CopyOut(`COPY (${ROWS}) TO STDOUT (FORMAT csv)`)))).toBe(LINES);
        expect((await query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      }
      expect(await textOf(query(new CopyOut('COPY (SELECT 1 WHERE false) TO STDOUT')))).toBe('');
      await client.end();
    },
  );

  it.each([1, 6, undefined])(
    'rejects on an error instead of ending the stream, in packets of %s bytes',
    async (size) => {
      const connected = await connect(size);
      const rows = connected.query(
        new CopyOut('COPY (SELECT 1 / (5000 - n) FROM generate_series(1, 9000) n) TO STDOUT'),
      );
      await expect(textOf(rows)).rejects.toMatchObject({ code: '22012' });
      expect((await connected.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await expect(textOf(connected.query(new CopyOut('COPY nothing TO STDOUT')))).rejects.toMatchObject({
        code: '42P01',
      });
      await connected.end();
    },
  );

  it('applies backpressure, and fails when the connection is terminated', async () => {
    const connected = await connect();
    const { rows: me } = await connected.query('SELECT pg_backend_pid() AS pid');
    const rows = connected.query(
      new CopyOut("COPY (SELECT repeat('x', 10000) FROM generate_series(1, 100000)) TO STDOUT"),
    );
    await once(rows, 'readable');
    const kept = () => rows.readableLength;
    for (let before = -1; before !== kept(); await sleep(50)) before = kept();
    expect(kept()).toBeLessThan(2 ** 20); // of 1 GB
    const failed = expect(textOf(rows)).rejects.toThrow(/terminat|connection/i);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('SELECT pg_terminate_backend($1)', [me[0].pid]);
    await other.end();
    await failed;
  });
});
