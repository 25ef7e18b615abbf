/** Files: announced in the graph, then sent to where it says. */
import { ask, refusalOf } from './ask.ts';
import { accepted, type Refusal } from './failure.ts';

/** What a client may say of a file. */
export interface UploadOptions {
  /** The file's name; that of a `File`, else `file`. */
  readonly name?: string;
  /** Media type; the blob's own when left out, and `application/octet-stream` where it has none. */
  readonly contentType?: string;
  /** SHA-256 in hexadecimal, where the server shall compare it. */
  readonly sha256?: string;
  /** Gives up. */
  readonly signal?: AbortSignal;
}

/** What mutations take as `upload`; `imageUpload` too. */
export interface Uploaded {
  readonly token: string;
  readonly name: string;
}

/** Answer of `beginUpload`. */
export interface UploadBegun {
  readonly upload?: {
    readonly token: string;
    readonly url: string;
    readonly method: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
  } | null;
  readonly errors: readonly Refusal[];
}

/** Sends the bytes to where `begun` says: again where the server is busy, for whole or not at all is all that it can be. */
export async function sendFile(
  file: Blob,
  begun: UploadBegun,
  {
    fetch,
    retries,
    patience,
    name,
    signal,
  }: UploadOptions & { fetch: typeof globalThis.fetch; retries: number; patience: number },
): Promise<Uploaded> {
  const { upload } = accepted(begun);
  const headers = upload.headers.map(({ name, value }): [string, string] => [name, value]);
  let sent = 0;
  const send = () => {
    sent += 1;
    return fetch(upload.url, { method: upload.method, headers, body: file, ...(signal && { signal }) });
  };
  const response = await ask(send, { retries, patience, isSafe: true, signal });
  const isThere = sent > 1 && response.status === 409; // a try whose answer was lost
  if (!response.ok && !isThere) throw await refusalOf(response, signal);
  await response.body?.cancel();
  return { token: upload.token, name: name ?? ('name' in file ? String(file.name) : 'file') };
}
