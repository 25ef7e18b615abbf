/** Links and paths in the pages of this repository lead to existing files and headings. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { FIELD_NAMES } from '../../src/search/query/fields.ts';

const FOLDERS = ['docs', 'bench', 'clients', 'solr'];
/** A path of this repository up to its first placeholder: `src/<feature>/x.ts` counts as `src/`. */
const PATH = /`((?:bench|clients|docs|facades|prisma|schema|scripts|solr|src|test)\/[\w./-]*)/g;

const pages = [
  ...readdirSync(projectRoot).filter((name) => name.endsWith('.md')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => path.endsWith('.md') && !path.includes('node_modules')),
  ),
];
const textOf = (page: string): string => readFileSync(join(projectRoot, page), 'utf8');
const isThere = (path: string): boolean => existsSync(join(projectRoot, path));

/** Heading anchors, as repository hosts generate them. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ +(.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

function isReached(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  return isThere(target) && (anchor === undefined || !target.endsWith('.md') || anchorsOf(target).includes(anchor));
}

it('has no link without an existing target', () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, link]) => ({ page, link: link! })),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ page, link }) => !isReached(page, link))).toEqual([]);
});

it('names only existing paths', () => {
  // The changelog and old decisions name paths of their time.
  const told = pages.filter((page) => page !== 'CHANGELOG.md' && !page.includes('decisions'));
  const paths = told.flatMap((page) => [...textOf(page).matchAll(PATH)].map(([, path]) => ({ page, path: path! })));
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter(({ path }) => !isThere(path))).toEqual([]);
});

it('lists every search field in docs/search.md', () => {
  const [, fields = ''] = /^## Fields$(.*?)^## /ms.exec(textOf('docs/search.md')) ?? [];
  const listed = new Set([...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(FIELD_NAMES.length).toBeGreaterThan(30);
  expect(FIELD_NAMES.filter((name) => !listed.has(name))).toEqual([]);
  // An unknown name would be an extra. `extras_KEY` and `vocab_NAME` are prefixes of names.
  const others = [...listed].filter((name) => !FIELD_NAMES.includes(name!));
  expect(others.sort()).toEqual(['extras_KEY', 'vocab_NAME']);
});
