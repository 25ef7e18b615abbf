/** Copies missing and changed tables of harvested resources. */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableReplace } from '../../datastore/rows/replace.service.ts';
import { putClaim } from '../../datastore/tables/claim.sql.ts';
import { type ClaimRecord, claimsAfter, claimsOf, dropClaim, endClaim } from '../../datastore/tables/claim.store.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { type Dictionary, deleteTable, type RecordRunner } from '../../records/gateway.ts';
import { isTableElsewhere } from '../../records/import/tables.ts';
import { hasTable } from '../../records/record.ts';
import type { TableHead, TableReader } from '../reader.ts';
import type { SourceRecord } from '../source/source.store.ts';
import { SourceError } from '../web.ts';

/** Claims per page. */
const PAGE = 500;
/** Maximum consecutive tables that cannot be read. The source then counts as down, and the run ends. */
const MAX_FAILURES = 5;

/** A resource at the source, and its local id. */
export interface CopiedResource {
  readonly given: Dictionary;
  readonly resourceId: string;
}

interface Copying {
  readonly runner: RecordRunner;
  readonly source: SourceRecord;
  readonly reader: TableReader;
  readonly signal: AbortSignal;
  /** Read the rows of all tables, and write those that differ. */
  readonly full: boolean;
  readonly remark: (claim: ClaimRecord, message: string, isFault: boolean) => Promise<void>;
}

export interface Tables {
  /** Records which resources of a dataset have a table at the source, so that `copy` checks them. */
  note(resources: readonly CopiedResource[]): Promise<void>;
  /** Copies missing and changed tables one by one. Reports a failure; the next run retries it. */
  copy(): Promise<void>;
}

/** Identifies the version of a copied table. */
interface Fingerprint {
  readonly head: string;
  readonly version: string | null;
  readonly rows: string;
}

export function createTables(copying: Copying): Tables {
  return { note: (resources) => note(copying, resources), copy: () => copy(copying) };
}

async function note(copying: Copying, resources: readonly CopiedResource[]): Promise<void> {
  const call = copying.runner.call();
  const known = new Set(
    (
      await claimsOf(
        call.db,
        resources.map(({ resourceId }) => resourceId),
      )
    ).map(({ resourceId }) => resourceId),
  );
  for (const { given, resourceId } of resources) {
    if (isTableElsewhere(given, call.settings)) {
      const claim = { resourceId, sourceId: copying.source.id, recordId: String(given.id), version: versionOf(given) };
      await putClaim(call.sql, { ...claim, message: null }, call.request.now);
    } else if (known.has(resourceId) && !hasTable(given)) {
      await withdraw(copying, resourceId);
    }
  }
}

async function copy(copying: Copying): Promise<void> {
  let failures = 0;
  for (let after = ''; ; ) {
    const claims = await claimsAfter(copying.runner.call().db, copying.source.id, after, PAGE);
    for (const claim of claims) {
      copying.signal.throwIfAborted();
      failures = (await one(copying, claim)) ? 0 : failures + 1;
      if (failures === MAX_FAILURES)
        throw new SourceError(
          `${MAX_FAILURES} consecutive tables could not be copied. The lines above give the reasons`,
        );
    }
    if (claims.length < PAGE) return;
    after = claims.at(-1)!.resourceId;
  }
}

/** Returns false when the source, or the local DataStore, may be down. */
async function one(copying: Copying, claim: ClaimRecord): Promise<boolean> {
  const end = (state: 'here' | 'failed', fingerprint: Fingerprint | null, message: string | null) => {
    const {
      db,
      request: { now },
    } = copying.runner.call();
    const text = fingerprint && JSON.stringify(fingerprint);
    return endClaim(db, { resourceId: claim.resourceId, state, fingerprint: text, message }, now);
  };
  try {
    const head = await copying.reader.head(claim.recordId);
    if (head === null) {
      if (claim.fingerprint !== null && !(await copying.reader.isClaimed(claim.recordId))) {
        await withdraw(copying, claim.resourceId);
        await copying.remark(claim, 'its table was deleted at the source, and the copy was dropped', false);
        return true;
      }
      throw new SourceError('the source has no such table, or does not allow access to it', 404);
    }
    const before = fingerprintOf(claim);
    const isSame =
      claim.resource.datastoreActive && before !== null && before.head === hashOf(head) && isAsBefore(claim, before);
    if (isSame && !copying.full) {
      if (claim.state !== 'here') await end('here', null, null);
      return true;
    }
    const made = await copyOne(copying, claim, head, before);
    await end('here', made.fingerprint, null);
    if (made.leftOut.length > 0)
      await copying.remark(
        claim,
        `omits the alias ${made.leftOut.join(', ')}: it is in use, or not a valid table name`,
        false,
      );
    return true;
  } catch (thrown) {
    copying.signal.throwIfAborted();
    if (!(thrown instanceof SourceError || thrown instanceof CatalogError)) throw thrown;
    const message = (thrown.message || (thrown as CatalogError).kind).slice(0, 500);
    await end('failed', null, message);
    await copying.remark(claim, `its table was not copied: ${message}`, true);
    return thrown instanceof SourceError ? thrown.status !== null : thrown.kind !== 'UNAVAILABLE';
  }
}

async function copyOne(
  copying: Copying,
  claim: ClaimRecord,
  head: TableHead,
  before: Fingerprint | null,
): Promise<{ fingerprint: Fingerprint; leftOut: readonly string[] }> {
  const call = copying.runner.call();
  const { resourceId, recordId, version } = claim;
  const described = await copying.reader.describe(recordId, head);
  const spool = await spooled(copying.reader.rows(recordId, head), call.settings['catalog.loading.max_size']);
  try {
    const { fields, primaryKey, aliases, isPublic } = described;
    const rows = hashOf([fields, primaryKey, aliases, isPublic, spool.hash]);
    const fingerprint = { head: hashOf(head), version, rows };
    if (claim.resource.datastoreActive && before?.rows === rows) return { fingerprint, leftOut: [] };
    const { leftOut } = await tableReplace(call, {
      resourceId,
      fields,
      primaryKey,
      aliases,
      isHidden: !isPublic,
      pages: spool.pages,
      signal: copying.signal,
    });
    return { fingerprint, leftOut };
  } finally {
    await spool.close();
  }
}

/** Drops the copy of a table that no longer exists at the source. */
async function withdraw(copying: Copying, resourceId: string): Promise<void> {
  const [claim] = await claimsOf(copying.runner.call().db, [resourceId]);
  if (claim?.fingerprint) await deleteTable(copying.runner, resourceId);
  await dropClaim(copying.runner.call().db, resourceId);
}

/** Resources of a dataset's record that have local ids. */
export function resourcesOf(given: unknown, written: unknown): CopiedResource[] {
  const here = Array.isArray(written) ? written : [];
  return (Array.isArray(given) ? given : []).flatMap((resource: unknown, at) => {
    const id = isObject(here[at]) ? here[at].id : null;
    return isObject(resource) && typeof resource.id === 'string' && typeof id === 'string'
      ? [{ given: resource, resourceId: id }]
      : [];
  });
}

function versionOf({ metadata_modified, last_modified, revision_timestamp }: Dictionary): string | null {
  const said = [metadata_modified, last_modified, revision_timestamp].filter((one) => typeof one === 'string');
  return said.length > 0 ? said.join(' ').slice(0, 200) : null;
}

function fingerprintOf({ fingerprint }: ClaimRecord): Fingerprint | null {
  return fingerprint === null ? null : (JSON.parse(fingerprint) as Fingerprint);
}

/** A claim that this run did not see keeps its version. */
const isAsBefore = ({ state, version }: ClaimRecord, before: Fingerprint): boolean =>
  state === 'here' || version === before.version;

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

interface Spool {
  readonly hash: string;
  readonly pages: () => AsyncGenerator<readonly Dictionary[]>;
  close(): Promise<void>;
}

/** Buffers pages in a temporary file, so that no transaction waits for a slow source. */
async function spooled(pages: AsyncIterable<readonly Dictionary[]>, maxBytes: number): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-harvest-'));
  const handle = await open(join(folder, 'rows'), 'wx+');
  try {
    await rm(folder, { recursive: true, force: true });
    const hash = createHash('sha256');
    const parts: { at: number; length: number }[] = [];
    let size = 0;
    for await (const page of pages) {
      const bytes = Buffer.from(JSON.stringify(page));
      if (size + bytes.length > maxBytes)
        throw new SourceError(`the table is larger than ${maxBytes} bytes (catalog.loading.max_size)`);
      for (const record of page) hash.update(JSON.stringify(record));
      await handle.write(bytes, 0, bytes.length, size);
      parts.push({ at: size, length: bytes.length });
      size += bytes.length;
    }
    return { hash: hash.digest('hex'), pages: () => read(handle, parts), close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

async function* read(
  handle: FileHandle,
  parts: readonly { at: number; length: number }[],
): AsyncGenerator<readonly Dictionary[]> {
  for (const { at, length } of parts) {
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, at);
    yield JSON.parse(buffer.toString('utf8')) as Dictionary[];
  }
}
