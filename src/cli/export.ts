/** `catalog export`: writes JSON Lines for `catalog import`, in the order it needs; or all datasets as linked data. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { App } from '../app.ts';
import { eachDataset } from '../catalog/dataset/read/documents.service.ts';
import { CommandExportGroupsDocument, CommandExportOrganizationsDocument } from '../generated/operations.ts';
import { type Dictionary, listVocabularies, showRecord } from '../records/gateway.ts';
import { type GroupKind, KINDS, type Kind } from '../records/kinds.ts';
import { portable } from '../records/portable.ts';
import { operator, operatorRunner, withCatalog } from './catalog.ts';
import { type Command, UsageError } from './command.ts';
import { exportRdf, formatNamed } from './export-rdf.ts';
import { readArgs } from './options.ts';

/** Names per page; records are read one by one. */
const PAGE = 500;

export const command: Command = async (args, context) => {
  const {
    values,
    words: [file = '-'],
  } = readArgs('export', args);
  const { all = false } = values;
  const kinds = values.type === undefined ? KINDS : [kindNamed(values.type)];
  const format = values.format === undefined ? null : formatNamed(values.format);
  if (format && values.portable) throw new UsageError('--portable cannot be used with --format.');
  if (format && values.type !== undefined && kinds[0] !== 'dataset')
    throw new UsageError('--format is only for datasets.');
  await withCatalog(context, async ({ app }) => {
    const write = values.portable ? portableLines : exportLines;
    const lines = Readable.from(format ? exportRdf(app, format, all) : write(app, kinds, all));
    if (file === '-') await pipeline(lines, process.stdout, { end: false }).catch(unlessReaderLeft);
    else await pipeline(lines, createWriteStream(file));
  });
};

/** Ignores a closed pipe, as in `catalog export | head`. */
function unlessReaderLeft(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'EPIPE') throw thrown;
}

/** Records of these kinds, each with its line end. Parent organizations and groups come first. */
export async function* exportLines(app: App, kinds: readonly Kind[], everything: boolean): AsyncGenerator<string> {
  for (const kind of kinds) {
    if (kind === 'dataset')
      for await (const { document } of eachDataset(app.callAs(operator), { everything })) yield `${document.text}\n`;
    else for await (const record of eachGroup(app, kind)) yield `${JSON.stringify(record)}\n`;
  }
}

/** The same without catalog-specific values: two catalogs with the same content produce the same lines. */
export async function* portableLines(app: App, kinds: readonly Kind[], everything: boolean): AsyncGenerator<string> {
  const list = await listVocabularies(operatorRunner(app));
  const vocabularies = new Map(list.map(({ id, name }) => [id, name]));
  for await (const line of exportLines(app, kinds, everything))
    yield `${JSON.stringify(portable(JSON.parse(line) as Dictionary, vocabularies))}\n`;
}

/** Groups or organizations, parents first, because an import omits parents that do not exist yet. */
async function* eachGroup(app: App, kind: GroupKind): AsyncGenerator<Dictionary> {
  const seen = new Set<string>();
  for await (const id of eachGroupId(app, kind)) yield* withParents(id);

  async function* withParents(idOrName: string): AsyncGenerator<Dictionary> {
    const record = (await showRecord(operatorRunner(app), kind, idOrName)) as GroupDictionary;
    if (seen.has(record.id)) return;
    seen.add(record.id);
    for (const { name } of record.groups ?? []) if (!seen.has(name)) yield* withParents(name);
    seen.add(record.name);
    yield record;
  }
}

interface GroupDictionary extends Dictionary {
  readonly id: string;
  readonly name: string;
  readonly groups?: readonly { readonly name: string }[];
}

async function* eachGroupId(app: App, kind: GroupKind): AsyncGenerator<string> {
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: IdPage = await idPage(app, kind, { first: PAGE, after });
    for (const { databaseId } of nodes) yield databaseId;
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor ?? null;
  }
}

interface IdPage {
  readonly nodes: readonly { readonly databaseId: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

async function idPage(app: App, kind: GroupKind, page: { first: number; after: string | null }): Promise<IdPage> {
  const call = app.callAs(operator);
  if (kind === 'group') return (await app.run(CommandExportGroupsDocument, page, call)).groups;
  return (await app.run(CommandExportOrganizationsDocument, page, call)).organizations;
}

/** `datasets` → `dataset`. @throws UsageError for another word */
function kindNamed(plural: string): Kind {
  const kind = KINDS.find((kind) => `${kind}s` === plural);
  if (!kind)
    throw new UsageError(`--type must be one of ${KINDS.map((kind) => `${kind}s`).join(', ')} (got "${plural}").`);
  return kind;
}
