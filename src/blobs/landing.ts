/**
 * Direct uploads from clients to the bucket, through presigned URLs with a key per upload. Anyone with the URL can write there until it
 * expires, so a used file is copied to its own key first.
 */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Landing } from '../infra/files/blobs.ts';
import { START } from './probation.ts';

/** Maximum bytes of one request, and of one copy, in S3. */
const MAX_BYTES = 5 * 2 ** 30;

/** The client's signer, which can presign URLs although its types do not say so. */
interface Presigner {
  presign(
    request: object,
    options: { expiresIn: number; signableHeaders: Set<string> },
  ): Promise<{ protocol: string; hostname: string; port?: number; path: string; query: Record<string, string> }>;
}

export interface LandingOptions {
  readonly client: S3Client;
  readonly objectOf: (key: string) => { readonly Bucket: string; readonly Key: string };
  /** The store's answer; null when the file is missing. @throws CatalogError UNAVAILABLE */
  readonly ask: <T>(answer: Promise<T>) => Promise<T | null>;
}

export function createLanding({ client, objectOf, ask }: LandingOptions): Landing {
  /** A presigned URL with signed headers. The client must send all of them unchanged, except the host. */
  async function signed(command: PutObjectCommand, headers: readonly string[], seconds: number): Promise<string> {
    let address = '';
    command.middlewareStack.addRelativeTo(
      () => async (args: { request: unknown }) => {
        const request = args.request as { headers: Record<string, string> };
        const required = Object.entries(request.headers).filter(([name]) => [...headers, 'host'].includes(name));
        // The content is unknown in advance, its length is known.
        request.headers = { ...Object.fromEntries(required), 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
        const signer = (await client.config.signer()) as unknown as Presigner;
        const signableHeaders = new Set([...headers, 'host']);
        const { protocol, hostname, port, path, query } = await signer.presign(request, {
          expiresIn: seconds,
          signableHeaders,
        });
        address = `${protocol}//${hostname}${port ? `:${port}` : ''}${path}?${new URLSearchParams(query)}`;
        return { response: {}, output: { $metadata: {} } };
      },
      { name: 'presign', relation: 'before', toMiddleware: 'httpSigningMiddleware', override: true },
    );
    await client.send(command);
    return address;
  }

  return {
    max: MAX_BYTES,
    async addressOf(key, { size, contentType }, seconds) {
      const command = new PutObjectCommand({ ...objectOf(key), ContentLength: size, ContentType: contentType });
      return (await ask(signed(command, ['content-length', 'content-type'], seconds))) as string;
    },
    async take(from, size) {
      const found = await ask(client.send(new HeadObjectCommand(objectOf(from))));
      if (!found) return null;
      if (found.ContentLength !== size) return { key: null, size: found.ContentLength ?? 0 };
      const key = randomUUID();
      const { Bucket, Key } = objectOf(from);
      // Copies exactly the checked version: another upload may have replaced it.
      const copy = { ...objectOf(key), CopySource: `${Bucket}/${Key}`, CopySourceIfMatch: found.ETag };
      if (!(await ask(client.send(new CopyObjectCommand(copy))))) return null;
      const head =
        size === 0
          ? null
          : await ask(client.send(new GetObjectCommand({ ...objectOf(key), Range: `bytes=0-${START - 1}` })));
      return { key, start: head ? await buffer(head.Body as Readable) : Buffer.alloc(0) };
    },
  };
}
