/**
 * Generates src/generated: graph.ts (resolver types) and operations.ts (typed documents) from schema/ and the operations of facades/,
 * src/cli/ and src/records/. From the public schema: the operations of clients/typescript, schema.graphql and docs/graph.md with docs/graph/. From
 * prisma/schema.prisma it generates prisma/ (the database client), data-model.json (its models) and docs/schema.md. From the message
 * files of pages it generates texts.ts, and from facades/web/islands islands.ts (scripts of pages). Skips files that are up to date.
 * Needs no network.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { clientOperations } from './client.mjs';
import { islandFiles, islandsModule } from './islands.mjs';
import { contractPage, referencePages, schemaFile } from './reference.mjs';
import { schemaPage } from './schema-page.mjs';
import { filesBelow, hashOf, readOr, root, withLock, writeStamp } from './stamp.mjs';

const isPage = (name) => name.endsWith('.md');
const isGraphql = (name) => name.endsWith('.graphql');
/** Folders with operations: facades, commands, and records. */
const DOCUMENT_FOLDERS = ['facades', 'src/cli', 'src/records'];
const CLIENT_OPERATIONS = 'clients/typescript/operations.graphql';
/** Pages of the graph, one per feature. */
const REFERENCE = 'docs/graph';
const CONTRACT = 'docs/contract.md';
const GRAPH_STAMP = 'src/generated/.graph-stamp';
const PRISMA_STAMP = 'src/generated/.prisma-stamp';
const TEXTS_STAMP = 'src/generated/.texts-stamp';
const ISLANDS_STAMP = 'src/generated/.islands-stamp';
const OUTPUTS = { graph: 'operations.ts', prisma: 'data-model.json', texts: 'texts.ts', islands: 'islands.ts' };

const graphHash = () =>
  hashOf([
    ...filesBelow('schema', (name) => isGraphql(name) || name === 'mappers.json'),
    ...DOCUMENT_FOLDERS.flatMap((folder) => filesBelow(folder, isGraphql)),
    'scripts/generate.mjs',
    'scripts/reference.mjs',
    'scripts/public-schema.mjs',
    CONTRACT,
    'scripts/client.mjs',
    CLIENT_OPERATIONS,
    'clients/typescript/src/operations.ts',
    'schema.graphql',
    'docs/graph.md',
    ...filesBelow(REFERENCE, isPage),
    'node_modules/.package-lock.json',
  ]);
const prismaHash = () =>
  hashOf([
    'prisma/schema.prisma',
    'prisma.config.ts',
    'scripts/generate.mjs',
    'scripts/data-model.mjs',
    'scripts/schema-page.mjs',
    'docs/schema.md',
    'node_modules/.package-lock.json',
  ]);
const textsHash = () =>
  hashOf([
    ...filesBelow('facades/web/site/texts', (name) => name.endsWith('.json')),
    'scripts/generate.mjs',
    'scripts/texts.mjs',
    'node_modules/.package-lock.json',
  ]);
const islandsHash = () =>
  hashOf([...islandFiles(), 'scripts/generate.mjs', 'scripts/islands.mjs', 'node_modules/.package-lock.json']);

/** Updates src/generated. Returns the updated parts: `graph`, `prisma`, `texts`, `islands`. @throws Error naming file and line */
export async function generate() {
  if (upToDate()) return [];
  return withLock('generate', async () => {
    const written = [];
    for (const [name, stamp, hash, work] of [
      ['graph', GRAPH_STAMP, graphHash, writeGraph],
      ['prisma', PRISMA_STAMP, prismaHash, writePrisma],
      ['texts', TEXTS_STAMP, textsHash, writeTexts],
      ['islands', ISLANDS_STAMP, islandsHash, writeIslands],
    ]) {
      const current = hash();
      if (readOr(stamp, '') === current && exists(name)) continue;
      await work();
      writeStamp(stamp, hash()); // outputs may be among the inputs
      written.push(name);
    }
    return written;
  });
}

const upToDate = () =>
  readOr(GRAPH_STAMP, '') === graphHash() &&
  readOr(PRISMA_STAMP, '') === prismaHash() &&
  readOr(TEXTS_STAMP, '') === textsHash() &&
  readOr(ISLANDS_STAMP, '') === islandsHash() &&
  Object.keys(OUTPUTS).every(exists);
const exists = (name) => readOr(`src/generated/${OUTPUTS[name]}`, '') !== '';

async function writeTexts() {
  const { textsModule } = await import('./texts.mjs');
  mkdirSync(join(root, 'src/generated'), { recursive: true });
  put('src/generated/texts.ts', textsModule());
}

async function writeIslands() {
  mkdirSync(join(root, 'src/generated'), { recursive: true });
  put('src/generated/islands.ts', await islandsModule());
}

async function writeGraph() {
  const { buildASTSchema, buildSchema, parse, print, Source, validate } = await import('graphql');
  const { contractElements, fullDocument, publicDocument } = await import('./public-schema.mjs');
  const parseFile = (file) => parse(new Source(readOr(file, ''), file));
  const sdl = filesBelow('schema', isGraphql).map((file) => ({ file, text: readOr(file, '') }));
  for (const { file, text } of sdl) parse(new Source(text, file)); // so that a syntax error names the file
  const schemaText = sdl.map(({ text }) => text).join('\n');
  const ofFacades = fullDocument(parse(schemaText));
  const schema = { schema: ofFacades, schemaAst: buildASTSchema(ofFacades) };
  const documents = DOCUMENT_FOLDERS.flatMap((folder) => filesBelow(folder, isGraphql)).map((file) => ({
    location: file,
    document: parseFile(file),
  }));
  const merged = { kind: 'Document', definitions: documents.flatMap(({ document }) => document.definitions) };
  const problems = documents.length ? validate(schema.schemaAst, merged) : [];
  if (problems.length > 0) throw new Error(problems.map(String).join('\n\n'));

  mkdirSync(join(root, 'src/generated'), { recursive: true });
  const document = publicDocument(parse(schemaText, { noLocation: true }));
  const publicSchema = { schema: document, schemaAst: buildSchema(print(document)) };
  put('schema.graphql', schemaFile(publicSchema.schemaAst));
  putReference(
    referencePages(
      publicSchema.schemaAst,
      new Map(sdl.map(({ file, text }) => [basename(file, '.graphql'), parse(text)])),
    ),
  );
  put(CONTRACT, contractPage(contractElements(schema.schema)));
  const mappers = JSON.parse(readOr('schema/mappers.json', '{}'));
  const strict = withoutFailures(schema.schema);
  const thrown = { schema: strict, schemaAst: buildASTSchema(strict) };
  await emit('graph', thrown, [], {
    contextType: '../graph/context.ts#GraphContext',
    mappers,
    scalars: {
      ...SCALARS,
      DateTime: { input: 'Date', output: 'Date | string' },
    },
  });
  await emit('operations', thrown, documents, { scalars: SCALARS });
  const text = readOr(CLIENT_OPERATIONS, '');
  const ofClient = [{ location: CLIENT_OPERATIONS, document: parseFile(CLIENT_OPERATIONS) }];
  const faults = validate(publicSchema.schemaAst, ofClient[0].document);
  if (faults.length > 0) throw new Error(faults.map(String).join('\n\n'));
  const publicThrown = withoutFailures(document);
  const ofPublic = { schema: publicThrown, schemaAst: buildASTSchema(publicThrown) };
  const types = await codeOf('client', ofPublic, ofClient, ['typescript-operations'], { scalars: SCALARS });
  put('clients/typescript/src/operations.ts', clientOperations(types, text));
}

/**
 * The schema for code that gets errors thrown: fields with `@semanticNonNull` are never null. Resolvers, operations in process (`run`)
 * and the typed client are such code.
 */
function withoutFailures(document) {
  const isNeverNull = ({ directives = [] }) => directives.some(({ name }) => name.value === 'semanticNonNull');
  const strict = (field) =>
    isNeverNull(field) ? { ...field, type: { kind: 'NonNullType', type: field.type } } : field;
  const definitions = document.definitions.map((node) =>
    node.fields ? { ...node, fields: node.fields.map(strict) } : node,
  );
  return { ...document, definitions };
}

const SCALARS = {
  ID: 'string',
  JSON: 'unknown',
  _Any: 'unknown',
  Document: 'unknown',
  DateTime: 'string',
  Long: 'number',
  URL: 'string',
};

async function emit(name, schema, documents, config) {
  const plugins =
    name === 'graph' ? ['typescript', 'typescript-resolvers'] : ['typescript-operations', 'typed-document-node'];
  put(`src/generated/${name}.ts`, await codeOf(name, schema, documents, plugins, config));
}

async function codeOf(name, schema, documents, plugins, config) {
  const { codegen } = await import('@graphql-codegen/core');
  const pluginMap = Object.fromEntries(await Promise.all(plugins.map(async (plugin) => [plugin, await load(plugin)])));
  return codegen({
    filename: `src/generated/${name}.ts`,
    ...schema,
    documents,
    pluginMap,
    plugins: plugins.map((plugin) => ({ [plugin]: {} })),
    config: {
      useTypeImports: true,
      enumsAsTypes: true,
      strictScalars: true,
      dedupeFragments: true,
      documentMode: 'documentNode',
      optimizeDocumentNode: true,
      ...config,
    },
  });
}

/** Writes by renaming, so that readers never see a partial file. */
function put(name, text) {
  if (readOr(name, '') === text) return;
  const file = join(root, name);
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
}

/** Writes the pages of the graph, and removes those of deleted features. */
function putReference(pages) {
  mkdirSync(join(root, REFERENCE), { recursive: true });
  for (const [name, text] of pages) put(name, text);
  for (const file of filesBelow(REFERENCE, isPage)) if (!pages.has(file)) rmSync(join(root, file));
}

async function load(plugin) {
  const module = await import(`@graphql-codegen/${plugin}`);
  return module.plugin ? module : module.default;
}

/**
 * `prisma generate` uses no native engine, but its command requires an executable and would otherwise try to download one. Any executable
 * is accepted, so it gets the running node.
 */
function writePrisma() {
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  const run = spawnSync(process.execPath, [cli, 'generate', '--no-hints'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  if (run.status !== 0) throw new Error(`prisma generate failed:\n${run.stdout}${run.stderr}`);
  put('docs/schema.md', schemaPage(JSON.parse(readOr('src/generated/data-model.json', '{}'))));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const written = await generate();
    console.log(written.length ? `generated: ${written.join(', ')}` : 'generated files are up to date');
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  }
}
