/** Descriptions of the schema and settings, errors, logs and help texts contain no retired words (words.ts). */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, it } from '@jest/globals';
import { Lexer, Source, TokenKind } from 'graphql';
import ts from 'typescript';
import { actions } from '../../facades/action/actions.ts';
import type { Table } from '../../facades/action/help.ts';
import type { Param } from '../../facades/action/params.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { SETTINGS } from '../../src/kernel/settings.ts';
import type { Setting } from '../../src/kernel/settings.types.ts';
import { filesBelow, SOURCE, treeOf } from './sources.ts';
import { retiredIn } from './words.ts';

interface Text {
  readonly place: string;
  readonly text: string;
}

/** Texts that keep a retired word, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'an answer in chunks was not asked for': 'a defect of src/graph/server.ts, rewritten with that file',
};

/** Descriptions: strings that are not values. */
function descriptionsOf(file: string): Text[] {
  const lexer = new Lexer(new Source(readFileSync(file, 'utf8')));
  const found: Text[] = [];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    const isString = token.kind === TokenKind.STRING || token.kind === TokenKind.BLOCK_STRING;
    if (isString) found.push({ place: `${relative(projectRoot, file)}:${token.line}`, text: oneLine(token.value) });
  }
  return found;
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

/** Calls with texts for people: errors, refusals, logs and the console. */
const SPEAKING =
  /(?:Error|Fault|Failure|Misfit|TooLarge|PrivateAddress)$|^(?:invalidField|notFound|notAuthorized|notAllowedTo|conflict|unavailable|refused?|fail(?:ed)?|fault|full|limitAt|badFile|badRequest|badOption|searchFault|tooGreat|allow|add|remark|say|close|messagePage)$|^(?:log|console)\b/;
/** Properties with such texts. */
const SPEAKING_KEYS = /^(?:message|summary|error)$/;

function isSpoken(node: ts.Node): boolean {
  for (let at = node.parent, depth = 0; at && depth < 8; at = at.parent, depth++) {
    if (ts.isPropertyAssignment(at) && SPEAKING_KEYS.test(at.name.getText())) return true;
    if (ts.isCallExpression(at) || ts.isNewExpression(at)) {
      const name = at.expression.getText();
      return SPEAKING.test(name.split('.').at(-1)!) || /(?:^|\.)(?:log|console|fail)\b/.test(name);
    }
    if (ts.isFunctionLike(at) && 'body' in at && at.body && ts.isBlock(at.body)) return false;
  }
  return false;
}

/** Texts of at least three words that people read. Their placeholders become `…`. */
function messagesOf(file: string): Text[] {
  const source = treeOf(file, readFileSync(file, 'utf8'));
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node);
    if (isText || ts.isTemplateExpression(node)) {
      const text = isText
        ? node.text
        : node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      if (/\p{L}+ \S+ \S+/u.test(text) && isSpoken(node))
        found.push({ place: `${relative(projectRoot, file)}:${line + 1}`, text: oneLine(text) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const faultsIn = (texts: readonly Text[]): string[] =>
  texts
    .filter(({ text }) => EXCEPTIONS[text] === undefined)
    .flatMap(({ place, text }) => retiredIn(text).map((fault) => `${place} ${fault}: ${text.slice(0, 120)}`));

const descriptions = filesBelow('schema', /\.graphql$/).flatMap(descriptionsOf);
const settings = Object.entries<Setting<unknown>>(SETTINGS).map(([place, { description: text }]) => ({ place, text }));
const help = Object.entries(actions as Table).flatMap(([name, { summary, returns, differs = '', params }]) => [
  ...[summary, returns, differs].map((text) => ({ place: name, text })),
  ...Object.entries<Param<unknown>>(params).map(([param, { about: text }]) => ({ place: `${name}.${param}`, text })),
]);
const messages = ['src', 'facades', 'scripts'].flatMap((folder) => filesBelow(folder, SOURCE)).flatMap(messagesOf);

it('finds no retired words in descriptions of the schema', () => {
  expect(descriptions.length).toBeGreaterThan(2_000);
  expect(faultsIn(descriptions)).toEqual([]);
});

it('finds no retired words in descriptions of settings', () => {
  expect(faultsIn(settings)).toEqual([]);
});

it('finds no retired words in help texts of actions', () => {
  expect(help.length).toBeGreaterThan(1_000);
  expect(faultsIn(help)).toEqual([]);
});

it('finds no retired words in errors and logs', () => {
  expect(messages.length).toBeGreaterThan(800);
  expect(faultsIn(messages)).toEqual([]);
});

it('needs every exception', () => {
  const texts = [...descriptions, ...settings, ...messages].map(({ text }) => text);
  expect(Object.keys(EXCEPTIONS).filter((text) => !texts.includes(text) || retiredIn(text).length === 0)).toEqual([]);
});

it('detects retired words', () => {
  expect(retiredIn('Whoever asks is told anew')).toHaveLength(3);
});
