/** The backup archive: any change of its bytes is detected, and `tar` can read it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { createArchiveWriter } from '../../src/backup/archive.ts';
import { BackupError, FORMAT, type Head, type Member, nameOf, PART } from '../../src/backup/format.ts';
import { checkArchive } from '../../src/backup/restore.ts';
import { tarMember } from '../../src/backup/tar.ts';
import { contentOf, walkArchive } from '../../src/backup/walk.ts';

const KEY = '0f0f0f0f-0000-4000-8000-000000000001';
const SECRET = 'a secret of some length';
const HEAD: Head = {
  format: FORMAT,
  program: '1.2.3',
  at: '2026-11-24T03:00:00.000Z',
  postgresql: '18.0',
  migrations: [],
  datastore: true,
  files: true,
  settings: {},
};

async function* once<T>(...chunks: T[]) {
  yield* chunks;
}

/** An archive with a table, an empty table and a file. */
async function archive({
  head = HEAD,
  secret = SECRET,
  file = Buffer.from('a file'),
}: {
  head?: unknown;
  secret?: unknown;
  file?: Buffer;
} = {}) {
  const writer = createArchiveWriter(new Date(HEAD.at));
  const chunks = [...writer.json('head', 0, head), ...writer.json('secret', 0, secret)];
  for (const [folder, rows, content] of [
    ['catalog/dataset', 2, Buffer.from('1\ta\n2\tb\n')],
    ['catalog/tag', 0, Buffer.alloc(0)],
  ] as const) {
    chunks.push(...writer.json(folder, 0, { columns: ['id', 'name'], sequences: [] }));
    for await (const chunk of writer.parts(folder, once(content), 'gz')) chunks.push(chunk);
    chunks.push(...writer.json(folder, rows === 0 ? 1 : 2, { rows }));
  }
  chunks.push(...writer.json(`files/${KEY}`, 0, { isMissing: false }));
  let parts = 0;
  for await (const chunk of writer.parts(`files/${KEY}`, once(file), 'bin')) {
    chunks.push(chunk);
    parts += 1;
  }
  chunks.push(...writer.json(`files/${KEY}`, parts / 3 + 1, { rows: null }), ...writer.end());
  return Buffer.concat(chunks);
}

const check = (bytes: Buffer) => checkArchive(once(bytes));

async function filesIn(bytes: Buffer): Promise<Buffer[]> {
  const files: Buffer[] = [];
  const ignore = async (members: AsyncIterable<unknown>) => {
    for await (const _ of members);
    return null;
  };
  await walkArchive(once(bytes), {
    head: () => {},
    secret: () => {},
    datastoreTable: (_table, members) => ignore(members),
    catalogTable: (_name, _table, members) => ignore(members),
    async file(_key, _file, members) {
      const chunks: Buffer[] = [];
      for await (const chunk of contentOf(members)) chunks.push(chunk);
      files.push(Buffer.concat(chunks));
    },
  });
  return files;
}

it('reads an archive in chunks of any size', async () => {
  const bytes = await archive();
  expect(await check(bytes)).toEqual({ head: HEAD, secret: SECRET });
  for (const size of [1, 7, 511, 512, 513]) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
    expect((await checkArchive(once(...pieces))).secret).toBe(SECRET);
  }
});

it('splits long content', async () => {
  for (const size of [PART - 1, PART, PART + 1, 2 * PART]) {
    const file = Buffer.alloc(size, 'x');
    file.write('end', size - 3);
    const [found] = await filesIn(await archive({ file }));
    expect(found!.equals(file)).toBe(true);
  }
});

/** With BACKUP_ALL_BYTES each byte is changed, which takes a minute. */
const STEP = process.env.BACKUP_ALL_BYTES ? 1 : 31;

it('refuses an archive with any byte changed', async () => {
  const bytes = await archive();
  for (let at = 0; at < bytes.length; at += STEP) {
    const damaged = Buffer.from(bytes);
    damaged[at] = damaged[at]! ^ 1;
    await expect(check(damaged)).rejects.toThrow(/^The backup is (damaged|of release)/);
  }
});

it('refuses a truncated archive and trailing bytes', async () => {
  const bytes = await archive();
  for (let at = 0; at < bytes.length; at += 256)
    await expect(check(bytes.subarray(0, at))).rejects.toThrow('it ends early');
  await expect(check(Buffer.concat([bytes, Buffer.alloc(512)]))).rejects.toThrow('bytes after its end');
});

/** Members with their padding, without the end-of-archive blocks. */
function split(bytes: Buffer): Buffer[] {
  const members: Buffer[] = [];
  for (let at = 0; bytes[at] !== 0; ) {
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8);
    const length = 512 + Math.ceil(size / 512) * 512;
    members.push(bytes.subarray(at, at + length));
    at += length;
  }
  return members;
}

it('refuses missing, repeated and reordered members', async () => {
  const bytes = await archive();
  const members = split(bytes);
  const end = Buffer.alloc(1024);
  expect(Buffer.concat([...members, end]).equals(bytes)).toBe(true);
  for (let at = 0; at < members.length; at += 1) {
    await expect(check(Buffer.concat([...members.toSpliced(at, 1), end]))).rejects.toThrow('is damaged');
    await expect(check(Buffer.concat([...members.toSpliced(at, 0, members[at]!), end]))).rejects.toThrow('is damaged');
    if (at === 0) continue;
    const swapped = members.with(at, members[at - 1]!).with(at - 1, members[at]!);
    await expect(check(Buffer.concat([...swapped, end]))).rejects.toThrow('is damaged');
  }
});

it.each([
  '../../etc/passwd',
  '/etc/passwd',
  'files/../../secret',
  'files/0f0f0f0f-0000-4000-8000-00000000000g',
  'catalog/../secret',
  'other/name',
])('refuses a member called %s', async (folder) => {
  const content = Buffer.from('{}');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const members = split(await archive());
  const added = Buffer.concat(tarMember(nameOf(folder, 0, sha256, 'json'), content, 0));
  const bytes = Buffer.concat([...members.slice(0, 2), added, ...members.slice(2), Buffer.alloc(1024)]);
  await expect(check(bytes)).rejects.toThrow(/unexpected member ".*(passwd|secret|other|0g)/);
});

it('refuses files that are not backups', async () => {
  await expect(check(Buffer.alloc(0))).rejects.toThrow('it ends early');
  await expect(check(Buffer.alloc(4096))).rejects.toThrow(BackupError);
  await expect(check(Buffer.from('x'.repeat(4096)))).rejects.toThrow('header of member 1');
  const { stdout } = spawnSync('tar', ['-cf', '-', 'package.json'], { maxBuffer: 2 ** 24 });
  await expect(check(stdout)).rejects.toThrow('is damaged');
});

it('refuses a newer format and unknown migrations, and names the release that reads them', async () => {
  await expect(check(await archive({ head: { ...HEAD, format: FORMAT + 1 } }))).rejects.toThrow(
    `of release 1.2.3, in format ${FORMAT + 1}. This release reads formats up to ${FORMAT}. Use release 1.2.3 or newer.`,
  );
  const migrations = [{ name: '9999_future', checksum: 'x' }];
  await expect(check(await archive({ head: { ...HEAD, migrations } }))).rejects.toThrow(
    'does not have: 9999_future. Use release 1.2.3 or newer',
  );
});

it('refuses an invalid head or secret', async () => {
  for (const [name, value] of [
    ['format', 'abc'],
    ['format', null],
    ['program', undefined],
    ['program', '\u001b[31m'],
    ['at', 'a\u009bb'],
    ['migrations', undefined],
    ['migrations', [null]],
    ['migrations', [{ name: 'a\nb', checksum: 'x' }]],
    ['settings', null],
    ['settings', undefined],
    ['settings', { 'a\u001b': 1 }],
  ] as const)
    expect([name, await check(await archive({ head: { ...HEAD, [name]: value } })).catch(String)]).toEqual([
      name,
      expect.stringContaining('The backup is damaged (its head)'),
    ]);
  for (const head of [null, 5, 'text', []]) await expect(check(await archive({ head }))).rejects.toThrow('(its head)');
  for (const secret of [null, 5, '', 'short', ['a secret of some length']])
    await expect(check(await archive({ secret }))).rejects.toThrow('(its secret)');
});

it('refuses content that cannot be unpacked', async () => {
  const of = (content: Buffer) =>
    contentOf(once<Member>({ folder: 'catalog/tag', number: 1, kind: 'gz', content })).next();
  await expect(of(Buffer.from('x'))).rejects.toThrow('catalog/tag cannot be unpacked');
  await expect(of(gzipSync(Buffer.alloc(PART + 1)))).rejects.toThrow('catalog/tag cannot be unpacked');
  expect((await of(gzipSync(Buffer.alloc(PART)))).value).toHaveLength(PART);
});

it('writes members that tar lists as readable only by their owner', async () => {
  const { stdout, stderr, status } = spawnSync('tar', ['-tvf', '-'], { input: await archive(), encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(11);
  for (const line of lines) expect(line).toMatch(/^-rw------- /);
  expect(lines[7]).toMatch(/ files\/0f0f0f0f-0000-4000-8000-000000000001\/000000-[0-9a-f]{64}\.json$/);
});
