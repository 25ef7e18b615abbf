/** Comments, exported names and names of tests use the words of the field (words.ts), not retired ones. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';
import { projectRoot } from '../../src/kernel/root.ts';
import { filesBelow, SOURCE, treeOf } from './sources.ts';
import { retiredIn, retiredNamesIn } from './words.ts';

/** Exported names that keep a retired word, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  goneAtMost: 'the argument of the SDL',
  place: 'a geographic place',
};

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

const files = ['src', 'facades', 'test', 'bench', 'scripts']
  .flatMap((folder) => filesBelow(folder, SOURCE))
  .map((file) => {
    const text = readFileSync(file, 'utf8');
    const path = relative(projectRoot, file).replaceAll('\\', '/');
    return { path, text, tree: treeOf(file, text) };
  })
  .map((file) => ({ ...file, comments: commentsOf(file) }));

const isSource = ({ path }: SourceFile): boolean => /^(?:src|facades)\//.test(path);
const tests = files.filter(({ path }) => path.startsWith('test/'));

interface Comment {
  readonly line: number;
  /** Without its signs, and with code in backticks as `x`. */
  readonly text: string;
}

function commentsOf({ text, tree }: SourceFile): Comment[] {
  const found = new Map<number, number>();
  const starts = [...text.matchAll(/\/[/*]/g)].map(({ index }) => index);
  const visit = (node: ts.Node): void => {
    const ranges = [ts.getLeadingCommentRanges(text, node.pos), ts.getTrailingCommentRanges(text, node.end)];
    for (const { pos, end } of ranges.flatMap((list) => list ?? [])) found.set(pos, end);
    if (starts.some((start) => start >= node.pos && start < node.end))
      for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...found].map(([pos, end]) => ({
    line: tree.getLineAndCharacterOfPosition(pos).line + 1,
    text: text
      .slice(pos, end)
      .replace(/^\/\*+|\*\/$|^\/\/|^\s*\*(?!\/)/gm, '')
      .replace(/`[^`]*`/g, '`x`')
      .replace(/\s+/g, ' ')
      .trim(),
  }));
}

const TEST = /^(?:it|test|describe)(?:$|\.(?:each|only|skip|failing)\b)/;

/** Names of tests and of groups of tests, as written. */
function testNamesOf({ tree }: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && TEST.test(node.expression.getText(tree))) {
      const [name] = node.arguments;
      if (name && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name)))
        found.push(name.getText(tree).slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function exportedNamesOf({ tree }: SourceFile): string[] {
  const isExported = (node: ts.Node): boolean =>
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return tree.statements.filter(isExported).flatMap((node) => {
    if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText(tree));
    const isNamed =
      ts.isFunctionDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node);
    return isNamed && node.name ? [node.name.text] : [];
  });
}

/** The beginning of a noun built from a clause. */
const CLAUSE = /^(?:What|Who|Whom|Whose|Which|Where|When|How|That)\b(?!.*\?$)/;

it('head comments name the job of the file', () => {
  const heads = files.flatMap(({ path, comments: [head] }) => (head?.line === 1 ? [{ path, text: head.text }] : []));
  expect(heads.length).toBeGreaterThan(600);
  expect(heads.filter(({ text }) => CLAUSE.test(text)).map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
});

it('comments use no retired words', () => {
  expect(files.flatMap(({ comments }) => comments).length).toBeGreaterThan(7_000);
  const faults = files.flatMap(({ path, comments }) =>
    comments.flatMap(({ line, text }) =>
      retiredIn(text).map((fault) => `${path}:${line} ${fault}: ${text.slice(0, 120)}`),
    ),
  );
  expect(faults).toEqual([]);
});

it('names of tests use no retired words and begin with no clause', () => {
  const names = tests.flatMap((file) => testNamesOf(file).map((name) => ({ path: file.path, name })));
  expect(names.length).toBeGreaterThan(3_500);
  const faults = names.flatMap(({ path, name }) =>
    [...retiredIn(name), ...(CLAUSE.test(name) ? ['begins with a clause'] : [])].map(
      (fault) => `${path} ${fault}: ${name}`,
    ),
  );
  expect(faults).toEqual([]);
});

it('exported names use no retired words', () => {
  const names = files
    .filter(isSource)
    .flatMap((file) => exportedNamesOf(file).map((name) => ({ path: file.path, name })));
  expect(names.length).toBeGreaterThan(800);
  const faults = names.flatMap(({ path, name }) =>
    EXCEPTIONS[name] === undefined ? retiredNamesIn(name).map((fault) => `${path} ${name}: ${fault}`) : [],
  );
  expect(faults).toEqual([]);
});

it('every exception is needed', () => {
  const names = new Set(files.flatMap(exportedNamesOf));
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name) || retiredNamesIn(name).length === 0)).toEqual([]);
});

it('would notice a retired word', () => {
  expect(retiredNamesIn('toldBehind')).toHaveLength(2);
  expect(retiredNamesIn('MOST_LETTERS')).toHaveLength(2);
  expect(retiredNamesIn('deadLetterPages')).toEqual([]);
  expect('What is told behind a place by a door').toMatch(CLAUSE);
});
