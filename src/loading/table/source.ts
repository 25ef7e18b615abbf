/** Provides the bytes of a resource's file: a stored upload, or a link fetched into a temporary file. */
import { createHash } from 'node:crypto';
import { fetchPublic } from '../../infra/http/fetch-public.ts';
import { HostUnavailable } from '../../jobs/kinds.ts';
import type { Call } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { readerOf, taken } from '../read/temporary.ts';
import type { Source } from '../read/text-file.ts';

/** A fetched file. `close` releases it. */
export interface Fetched extends Source {
  readonly hash: string;
  readonly etag: string | null;
  readonly modified: string | null;
  close(): Promise<void>;
}

/** Bytes of an uploaded file. @throws CatalogError NOT_FOUND on reading */
export const storedSource = ({ stores: { blobs } }: Call, key: string, size: number): Source => ({
  size,
  async open(range) {
    const bytes = await blobs.open(key, range);
    if (!bytes) throw new CatalogError('NOT_FOUND', 'The file no longer exists');
    return bytes;
  },
});

/** SHA-256 of all bytes, in hexadecimal. */
export async function hashOf(source: Source, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await source.open()) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/** Properties of the file fetched before, for a conditional request. */
interface Known {
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Fetches a link; null when the server reports no change. @throws CatalogError VALIDATION, UNAVAILABLE, LIMIT */
export async function fetchedSource(
  { settings }: Call,
  url: string,
  known: Known | null,
  stop: AbortSignal,
  progress: (done: number, total: number | null) => void,
): Promise<Fetched | null> {
  const seconds = settings['catalog.loading.timeout'];
  const late = AbortSignal.timeout(seconds * 1_000);
  try {
    const { status, headers, body } = await fetchPublic({
      url,
      headers: {
        ...(known?.etag && { 'if-none-match': known.etag }),
        ...(known?.modified && { 'if-modified-since': known.modified }),
      },
      allowedHosts: settings['catalog.loading.allowed_hosts'],
      signal: AbortSignal.any([stop, late]),
    });
    if (status === 304) {
      body.destroy();
      return null;
    }
    const length = Number(headers['content-length'] ?? 0);
    const total = headers['content-encoding'] === undefined && length > 0 ? length : null;
    const max = settings['catalog.loading.max_size'];
    if ((total ?? 0) > max) {
      body.destroy();
      throw tooLarge(max);
    }
    const { handle, size, hash } = await taken(body, max, tooLarge, (done) => progress(done, total));
    return {
      size,
      hash,
      etag: headers.etag ?? null,
      modified: headers['last-modified'] ?? null,
      open: readerOf(handle),
      close: () => handle.close(),
    };
  } catch (thrown) {
    if (thrown instanceof CatalogError)
      throw thrown.kind === 'UNAVAILABLE' ? new HostUnavailable(thrown.message) : thrown;
    stop.throwIfAborted();
    if (late.aborted) throw new HostUnavailable(`The download took longer than ${seconds} s (catalog.loading.timeout)`);
    throw new HostUnavailable(`The download failed (${(thrown as Error).message})`);
  }
}

const tooLarge = (max: number) =>
  new CatalogError('LIMIT', `The linked file is larger than ${max} bytes (catalog.loading.max_size)`);
