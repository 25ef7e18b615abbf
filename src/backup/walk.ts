/** Reads a whole archive in its order: head, secret, tables of the DataStore, tables of the catalog, files. */
import { MIN_SECRET } from '../infra/crypto/secret-file.ts';
import { bytesOf, jsonOf, readArchive } from './archive.ts';
import {
  BackupError,
  type CatalogTable,
  type DatastoreTable,
  type FileHead,
  FORMAT,
  type Footer,
  type Head,
  isHead,
  type Member,
} from './format.ts';
import { damaged } from './tar.ts';

/** Functions for the contents, called in order. Each reads its members to their end. */
export interface Visitor {
  head(head: Head): void | Promise<void>;
  secret(text: string): void;
  /** Returns the number of rows; null if it did not count. */
  datastoreTable(table: DatastoreTable, members: AsyncIterable<Member>): Promise<number | null>;
  catalogTable(name: string, table: CatalogTable, members: AsyncIterable<Member>): Promise<number | null>;
  file(key: string, file: FileHead, members: AsyncIterable<Member>): Promise<void>;
}

/** @throws BackupError for a damaged archive, and for one of a newer release */
export async function walkArchive(source: AsyncIterable<Buffer>, visitor: Visitor): Promise<void> {
  const members = createReader(readArchive(source));
  const head = jsonOf<unknown>((await members.take('head', 0)).content);
  if (!isHead(head)) throw damaged('its head');
  if (head.format > FORMAT)
    throw new BackupError(
      `The backup is of release ${head.program}, in format ${head.format}. This release reads formats up to ${FORMAT}. Use release ${head.program} or newer.`,
    );
  await visitor.head(head);
  const secret = jsonOf<unknown>((await members.take('secret', 0)).content);
  if (typeof secret !== 'string' || secret.length < MIN_SECRET) throw damaged('its secret');
  visitor.secret(secret);
  for (let next = await members.peek(); next !== null; next = await members.peek()) {
    const { folder } = next;
    const slash = folder.indexOf('/');
    const [area, name] = [folder.slice(0, slash), folder.slice(slash + 1)];
    const first = jsonOf<unknown>((await members.take(folder, 0)).content);
    const { parts, footer } = members.section(folder);
    let rows: number | null = null;
    if (area === 'datastore') rows = await visitor.datastoreTable(first as DatastoreTable, parts);
    else if (area === 'catalog') rows = await visitor.catalogTable(name, first as CatalogTable, parts);
    else await visitor.file(name, first as FileHead, parts);
    const { rows: expected } = await footer();
    if (rows !== null && rows !== expected) throw damaged(`${folder} has ${rows} rows, expected ${expected}`);
  }
}

function createReader(members: AsyncGenerator<Member>) {
  let waiting: Member | null = null;

  async function peek(): Promise<Member | null> {
    waiting ??= (await members.next()).value ?? null;
    return waiting;
  }

  async function take(folder: string, number: number): Promise<Member> {
    const member = await peek();
    if (member?.folder !== folder || member.number !== number) throw damaged(`${folder} is incomplete`);
    waiting = null;
    return member;
  }

  return {
    peek,
    take,
    /** The members of a folder with bytes, then its last one. */
    section(folder: string) {
      let number = 1;
      async function* parts(): AsyncGenerator<Member> {
        for (;;) {
          const member = await peek();
          if (member?.folder !== folder || member.kind === 'json') return;
          yield await take(folder, number);
          number += 1;
        }
      }
      return { parts: parts(), footer: async () => jsonOf<Footer>((await take(folder, number)).content) };
    },
  };
}

/** Bytes of members without their compression. */
export async function* contentOf(members: AsyncIterable<Member>): AsyncGenerator<Buffer> {
  for await (const member of members) yield await bytesOf(member);
}
