/** The blob folder: failed uploads, leftovers of crashes, and the health check. */
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createFolderBlobs } from '../../../src/blobs/folder.ts';
import { startLoop } from '../../../src/infra/worker/loop.ts';
import { until } from '../../helpers/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-blobs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('leaves no file of an upload that fails before its file is open', async () => {
  const own = join(folder, 'at-once');
  const blobs = createFolderBlobs({ folder: own, limit: 1 });
  const { open } = fs;
  const opens: Promise<void>[] = [];
  fs.open = ((path: string, flags: string, mode: number, done: (...opened: unknown[]) => void) => {
    const later = sleep(100).then(
      () =>
        new Promise<void>((resolve) =>
          open(path, flags, mode, (...opened) => {
            done(...opened);
            resolve();
          }),
        ),
    );
    opens.push(later); // a slow disk
  }) as typeof open;
  try {
    await expect(blobs.receive(Readable.from([Buffer.from('too long')]))).rejects.toThrow('exceeds 1 bytes');
  } finally {
    fs.open = open;
  }
  expect(opens).toHaveLength(1);
  await Promise.all(opens); // files opened late exist by now
  expect(readdirSync(join(own, '.incoming'))).toEqual([]);
});

it('creates the folder at the first check, and fails later checks if it is missing', async () => {
  const own = join(folder, 'checked');
  const blobs = createFolderBlobs({ folder: own, limit: 1 });
  await blobs.check();
  await blobs.check();
  expect(readdirSync(own)).toEqual([]);
  rmSync(own, { recursive: true });
  await expect(blobs.check()).rejects.toThrow('ENOENT');
  mkdirSync(own);
  await blobs.check();
});

describe('leftovers of a crash', () => {
  const incoming = join(folder, '.incoming');
  mkdirSync(incoming);
  const open = () => createFolderBlobs({ folder: folder, limit: 100 });
  const age = (name: string) => {
    const before = new Date(Date.now() - 61 * 60 * 1000);
    utimesSync(join(incoming, name), before, before);
  };

  it('are deleted after an hour, except files of running uploads', async () => {
    const blobs = open();
    const live = await blobs.receive(Readable.from([Buffer.from('live')]));
    for (const name of ['old', 'fresh']) writeFileSync(join(incoming, name), 'x');
    for (const name of ['old', live]) age(name);
    await blobs.sweep();
    expect(readdirSync(incoming).sort()).toEqual(['fresh', live].sort());
    rmSync(join(incoming, 'fresh'));
    await blobs.discard(live);
  });

  it('are deleted while the server runs, until the sweeper stops', async () => {
    writeFileSync(join(incoming, 'old'), 'x');
    age('old');
    let sweeps = 0;
    const failures: unknown[] = [];
    const blobs = open();
    const sweeper = startLoop({
      look: () => (++sweeps === 1 ? Promise.reject(new Error('no')) : blobs.sweep()),
      interval: 5,
      onFailure: (failure) => failures.push(failure),
    });
    await until(() => readdirSync(incoming).length === 0);
    await sweeper.stop();
    const after = sweeps;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([readdirSync(incoming), failures.length, sweeps]).toEqual([[], 1, after]);
  });
});
