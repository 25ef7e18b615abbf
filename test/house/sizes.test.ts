/** Files are short: at most 400 lines, with a head comment from 250 lines on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';

const FOLDERS = ['src', 'facades', 'scripts', 'test'];
const LIMIT = 400;
const EXPLAINED_FROM = 250;

/** Generated, recorded and tabular files. */
const EXEMPT = new Set([
  'src/generated', // written by scripts/generate.mjs
  'test/house/released', // the schema of the last release
  'test/compat/actions.json', // the contract's actions
  'test/compat/conformance', // recorded answers, with the program that replays them
  'test/compat/real', // a sample of a real catalog
  'test/compat/shacl', // shapes of DCAT-AP
  'test/compat/replay.baseline.json', // the steps that are answered as recorded
]);

interface Sized {
  readonly file: string;
  readonly lines: readonly string[];
}

const toPosix = (path: string): string => relative(projectRoot, path).replaceAll('\\', '/');

function* filesBelow(folder: string): Generator<Sized> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const file = toPosix(path);
    if (EXEMPT.has(file) || entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield { file, lines: readFileSync(path, 'utf8').trimEnd().split('\n') };
  }
}

const files = FOLDERS.flatMap((folder) => [...filesBelow(join(projectRoot, folder))]);
const named = ({ file, lines }: Sized): string => `${file}: ${lines.length} lines`;

/** Whether one of the first two lines begins a comment. The first may be a shebang. */
const isExplained = ({ lines }: Sized): boolean => lines.slice(0, 2).some((line) => /^(\/\*\*?|\/\/|# )/.test(line));

it(`has no file of more than ${LIMIT} lines`, () => {
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter(({ lines }) => lines.length > LIMIT).map(named)).toEqual([]);
});

it(`has a head comment in every file of more than ${EXPLAINED_FROM} lines`, () => {
  const long = files.filter(({ lines }) => lines.length > EXPLAINED_FROM);
  expect(long.filter((it) => !isExplained(it)).map(named)).toEqual([]);
});

it('has no exemption for a missing path', () => {
  expect([...EXEMPT].filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
});

it('builds no two sources to the same file', () => {
  const built = files.map(({ file }) => file).filter((file) => /^(src|facades)\/.*\.tsx?$/.test(file));
  const names = built.map((file) => file.replace(/x$/, ''));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
