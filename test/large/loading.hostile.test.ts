/**
 * Loads small files that expand to enormous tables, with the default heap and with 1 GB. Measures and prints the memory of the server and
 * its child processes, and the latency of `status_show` during each load.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { createDatabase, createDatastore, type TestDatabase, type TestDatastore } from '../helpers/database.ts';
import { MIB } from '../helpers/memory.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { zipOf } from '../helpers/xlsx.ts';

const MINUTES = 60_000;
/** Maximum growth of all processes together: catalog.loading.max_memory, plus Node's own memory and a margin for the server. */
const MAX_GROWTH = 560 * MIB;
/** Maximum median and maximum wait of other requests in ms: well above a quiet machine's, well below the stalls of the regression. */
const MAX_MEDIAN = 2_000;
const MAX_WAIT = 15_000;

/** Created on first use, because some are large before compression. */
const FILES: readonly (readonly [name: string, make: () => Buffer, refusal: RegExp])[] = [
  ['one text of 2 million characters in 255 cells.xlsx', () => sharedText(2_000_000, 255, 1), /Row \d+ is longer than/],
  ['one text of 2 million characters in 120 rows.xlsx', () => sharedText(2_000_000, 1, 120), /times the file's/],
  ['one text of 60,000 characters in 9,000 cells.xlsx', () => sharedText(60_000, 9, 1_000), /times the file's/],
  ['cells of spaces.xlsx', () => sharedText(2_000_000, 255, 199, ' '), /Row \d+ is longer than/],
  ['inline cells.xlsx', () => book(`<row>${inline('x'.repeat(8_000_000)).repeat(60)}</row>`), /Row \d+ is longer than/],
  ['a table of 520 MB in 1.8 MB.xlsx', manyRows, /times the file's/],
  [
    '200 million empty shared texts.xlsx',
    () => book(ROW, '<si/>'.repeat(2e8 / 5)),
    /shared strings of the workbook exceed/,
  ],
  ['a dictionary of great values.parquet', () => dictionary(4, 8_000_000), /times the file's|memory/],
  ['a dictionary of one value.parquet', () => dictionary(1, 1_000_000), /times the file's|memory/],
  ['an archive of zeros.zip', () => bomb('a,b\n', '0', 400), /times the file's|longer than|larger than/],
  ['an archive of short rows.zip', () => bomb('a\n', '1\n', 200), /times the file's/],
  ['an archive that lies.zip', () => zipOf({ 'a.csv': 'x'.repeat(300 * MIB) }, { packed: true, says: 10 }), /ZIP/],
  ['objects without keys.ndjson', () => objects(), /times the file's/],
  ['one object of lists.json', () => Buffer.from(`[{"a":[${'[],'.repeat(5e6)}[]]}]`), /memory/],
  ['many columns.csv', () => Buffer.from(`${columns(1_500)}\n${'1\n'.repeat(1_000_000)}`), /times the file's/],
  ['one line without an end.csv', () => Buffer.from(`a\n${'x'.repeat(40 * MIB)}`), /Row \d+ is longer than/],
  ['one quoted value.csv', () => Buffer.from(`a\n"${'"'.repeat(40 * MIB)}`), /longer than|no end/],
  ['text in UTF-16.csv', () => Buffer.from(`\ufeffa\n${'水'.repeat(9 * MIB)}`, 'utf16le'), /Row \d+ is longer than/],
];

const made = new Map<string, Buffer>();
function bytesOf(name: string, make: () => Buffer): Buffer {
  const bytes = made.get(name) ?? make();
  made.set(name, bytes);
  return bytes;
}

const ROW = `<row>${inline('a')}</row>`;
function inline(text: string): string {
  return `<c t="inlineStr"><is><t>${text}</t></is></c>`;
}
const columns = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`).join(',');
/** A compressed workbook. */
function book(rows: string, shared = ''): Buffer {
  return zipOf(
    {
      'xl/workbook.xml': '<workbook><sheets><sheet name="a" id="1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="1" Target="sheet.xml"/></Relationships>',
      'xl/sharedStrings.xml': `<sst>${shared}</sst>`,
      'xl/sheet.xml': `<worksheet><sheetData>${ROW}${rows}</sheetData></worksheet>`,
    },
    { packed: true },
  );
}
function sharedText(length: number, cells: number, rows: number, sign = 'x'): Buffer {
  const header = `<row>${Array.from({ length: cells }, (_, n) => inline(`c${n}`)).join('')}</row>`;
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(cells)}</row>`;
  return book(header + row.repeat(rows), `<si><t>${sign.repeat(length)}</t></si>`);
}
/** A workbook that is 520 MB as CSV. Its rows differ, so it is 1.8 MB when compressed. */
function manyRows(): Buffer {
  const shared = Array.from({ length: 10 }, (_, n) => `<si><t>${String(n).repeat(300)}</t></si>`).join('');
  let seed = 1;
  const cell = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return `<c t="s"><v>${seed % 10}</v></c>`;
  };
  const rows = Array.from(
    { length: 216_000 },
    () => `<row>${cell()}${cell()}${cell()}${cell()}${cell()}${cell()}${cell()}${cell()}</row>`,
  );
  return book(`<row>${Array.from({ length: 8 }, (_, n) => inline(`c${n}`)).join('')}</row>${rows.join('')}`, shared);
}
function dictionary(values: number, length: number): Buffer {
  const great = Array.from({ length: values }, (_, n) => String(n).repeat(length));
  const data = Array.from({ length: 100_000 }, (_, n) => great[n % values]!);
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [{ name: 'a', data, type: 'STRING' }],
      codec: 'GZIP',
      compressors: GZIP,
    } as never),
  );
}
const GZIP = { GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)) };
function bomb(head: string, text: string, mib: number): Buffer {
  return zipOf({ 'a.csv': head + text.repeat((mib * MIB) / text.length) }, { packed: true });
}
function objects(): Buffer {
  const first = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`k${n}`, n]));
  return Buffer.from(`${JSON.stringify(first)}\n${'{}\n'.repeat(1_000_000)}`);
}

describe.each([
  ['its usual heap', ''],
  ['a heap of 1 GB', '--max-old-space-size=1024'],
])('a server with %s', (_name, options) => {
  let database: TestDatabase;
  let datastore: TestDatastore;
  let server: TestServer;
  let folder: string;
  let datasetId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-'));
    [database, datastore] = await Promise.all([createDatabase(), createDatastore()]);
    server = await startServer({
      CATALOG__DATABASE_URL: database.url,
      CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
      CATALOG__DATASTORE__READ_URL: datastore.readUrl,
      CATALOG__DATA_DIR: join(folder, 'data'),
      NODE_OPTIONS: options,
    });
    datasetId = (await server.call('package_create', { name: 'hostile' })).id;
    await loaded('small.csv', Buffer.from('a,b\n1,x\n')); // warm-up
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await server?.stop();
    await Promise.all([database?.end(), datastore?.end()]);
    if (folder) await rm(folder, { recursive: true, force: true });
  }, MINUTES);

  async function upload(name: string, bytes: Buffer): Promise<string> {
    const form = new FormData();
    form.set('package_id', datasetId);
    form.set('url', '');
    form.set('upload', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    const answered = await fetch(`${server.base}/api/3/action/resource_create`, {
      method: 'POST',
      body: form,
      headers: { authorization: server.key },
    });
    return ((await answered.json()) as { result: { id: string } }).result.id;
  }

  /** Uploads a file and returns the final state of its load job. */
  async function loaded(
    name: string,
    bytes: Buffer,
  ): Promise<{ state: string; error: string | null; attempts: number }> {
    const id = await upload(name, bytes);
    for (;;) {
      const query = `{ jobs(where: { subject: "${id}", kind: "load" }) { nodes { state error attempts } } }`;
      const [job] = (await server.graph(query)).jobs.nodes;
      if (job && !['QUEUED', 'RUNNING'].includes(job.state)) return job;
      if (job?.error) return job; // the job is to be retried
      await sleep(50);
    }
  }

  it.each(FILES)(
    'refuses %s without delaying other requests',
    async (name, make, refusal) => {
      const bytes = bytesOf(name, make);
      const before = memoryOfAll(server.process.pid!);
      let most = before;
      let busy = true;
      const waits: number[] = [];
      const asking = (async () => {
        while (busy) {
          const from = performance.now();
          const { status } = await fetch(`${server.base}/api/3/action/status_show`);
          waits.push(status === 200 ? performance.now() - from : Number.POSITIVE_INFINITY);
          await sleep(10);
        }
      })();
      const timer = setInterval(() => {
        most = Math.max(most, memoryOfAll(server.process.pid!));
      }, 20);
      const from = performance.now();
      const job = await loaded(name, bytes);
      busy = false;
      clearInterval(timer);
      await asking;
      waits.sort((a, b) => a - b);
      const ms = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]!.toFixed(0);
      const mib = (size: number) => `${(size / MIB).toFixed(0)} MiB`;
      console.log(
        `${name} (${bytes.length} bytes): ${((performance.now() - from) / 1_000).toFixed(1)} s, memory ${mib(before)} and ${mib(most - before)} more at most; status_show ${ms(0.5)} ms median, ${ms(1)} ms worst of ${waits.length}; ${job.state} ${job.error ?? ''}`,
      );
      expect(job).toEqual({ state: 'FAILED', error: expect.stringMatching(refusal), attempts: 1 });
      expect(server.process.exitCode).toBeNull();
      expect(most - before).toBeLessThan(MAX_GROWTH);
      expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(MAX_MEDIAN);
      expect(waits.at(-1)).toBeLessThan(MAX_WAIT);
    },
    5 * MINUTES,
  );

  it('loads an ordinary file afterwards', async () => {
    expect(await loaded('after.csv', Buffer.from('a,b\n1,x\n'))).toMatchObject({ state: 'DONE', error: null });
  });
});

/** Resident memory of a process and its child processes in bytes. */
function memoryOfAll(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) => textOf(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean));
  return [pid, ...children].reduce((sum: number, process) => sum + residentIn(textOf(`/proc/${process}/status`)), 0);
}

const residentIn = (status: string): number => Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;

/** Returns an empty string when the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
