/** Uploads: announced in the graph, then sent to the URL that it returns. */
import { ask, refusalOf } from './ask.ts';
import { accepted, type Refusal } from './failure.ts';

/** Properties of a file. */
export interface UploadOptions {
  /** Name of the file. Default: the name of a `File`, otherwise `file`. */
  readonly name?: string;
  /** Media type. Default: the type of the blob, otherwise `application/octet-stream`. */
  readonly contentType?: string;
  /** SHA-256 in hexadecimal. The server then compares it. */
  readonly sha256?: string;
  /** Aborts the upload. */
  readonly signal?: AbortSignal;
}

/** Value of `upload` and `imageUpload` in mutations. */
export interface Uploaded {
  readonly token: string;
  readonly name: string;
}

/** Payload of `beginUpload`. */
export interface UploadBegun {
  readonly upload?: {
    readonly token: string;
    readonly url: string;
    readonly method: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
  } | null;
  readonly errors: readonly Refusal[];
}

/** Sends the bytes. Retries are safe, because an upload is complete or discarded. */
export async function sendFile(
  file: Blob,
  begun: UploadBegun,
  {
    fetch,
    retries,
    maxDelay,
    name,
    signal,
  }: UploadOptions & { fetch: typeof globalThis.fetch; retries: number; maxDelay: number },
): Promise<Uploaded> {
  const { upload } = accepted(begun);
  const headers = upload.headers.map(({ name, value }): [string, string] => [name, value]);
  let sent = 0;
  const send = () => {
    sent += 1;
    return fetch(upload.url, { method: upload.method, headers, body: file, ...(signal && { signal }) });
  };
  const response = await ask(send, { retries, maxDelay, isSafe: true, signal });
  const isThere = sent > 1 && response.status === 409; // an earlier attempt whose response was lost
  if (!response.ok && !isThere) throw await refusalOf(response, signal);
  await response.body?.cancel();
  return { token: upload.token, name: name ?? ('name' in file ? String(file.name) : 'file') };
}
