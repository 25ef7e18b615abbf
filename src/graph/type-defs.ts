/** Reads the SDL: the full schema from schema/, the public one from schema.graphql, which is generated from it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../kernel/root.ts';

const folder = join(projectRoot, 'schema');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.graphql'))
  .sort();

/** File name → SDL. */
export const typeDefs: ReadonlyMap<string, string> = new Map(
  files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
);

/** The schema without the elements of the facades. */
export const publicTypeDefs: string = readFileSync(join(projectRoot, 'schema.graphql'), 'utf8');
