/** What a crash left where files come in. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createFolderBlobs } from '../../../src/blobs/folder.ts';
import { startSweeper } from '../../../src/blobs/sweeper.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-blobs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('leftovers of a crash', () => {
  const incoming = join(folder, '.incoming');
  mkdirSync(incoming);
  const open = () => createFolderBlobs({ folder: folder, limit: 100 });
  const age = (name: string) => {
    const before = new Date(Date.now() - 61 * 60 * 1000);
    utimesSync(join(incoming, name), before, before);
  };

  it('go after an hour; files on their way stay, however long they take', async () => {
    const blobs = open();
    const live = await blobs.receive(Readable.from([Buffer.from('live')]));
    for (const name of ['old', 'fresh']) writeFileSync(join(incoming, name), 'x');
    for (const name of ['old', live]) age(name);
    await blobs.sweep();
    expect(readdirSync(incoming).sort()).toEqual(['fresh', live].sort());
    rmSync(join(incoming, 'fresh'));
    await blobs.discard(live);
  });

  it('go while the server runs, until it is told to stop', async () => {
    writeFileSync(join(incoming, 'old'), 'x');
    age('old');
    let sweeps = 0;
    const failures: unknown[] = [];
    const blobs = open();
    const stop = startSweeper({
      sweep: () => (++sweeps === 1 ? Promise.reject(new Error('no')) : blobs.sweep()),
      interval: 5,
      onFailure: (failure) => failures.push(failure),
    });
    for (let tries = 0; tries < 1_000 && readdirSync(incoming).length > 0; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    stop();
    const after = sweeps;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([readdirSync(incoming), failures.length, sweeps]).toEqual([[], 1, after]);
  });
});
