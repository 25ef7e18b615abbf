/** Sources of the project and their syntax trees. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../src/kernel/root.ts';

/** Paths of the files below a folder of the project whose names match, without generated ones. */
export const filesBelow = (folder: string, name: RegExp): string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name) && !/[/\\]generated\b/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));

/** Name of a file with a syntax tree. */
export const SOURCE = /\.(?:tsx?|mjs)$/;

/** The syntax tree of a file. JSDoc is not parsed, which would take a tenth more time. */
export const treeOf = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(
    file,
    text,
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
    true,
  );
