/**
 * Files that clients send straight to the bucket. They land under a key that the address of one upload names; whoever has that address can
 * write there until it runs out, so what is used is copied to a key of its own first.
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

/** What S3 takes in one request, and copies in one. */
const MAX_BYTES = 5 * 2 ** 30;

/** The client's signer, which can sign addresses too: its types do not tell. */
interface Presigner {
  presign(
    request: object,
    options: { expiresIn: number; signableHeaders: Set<string> },
  ): Promise<{ protocol: string; hostname: string; port?: number; path: string; query: Record<string, string> }>;
}

export interface LandingOptions {
  readonly client: S3Client;
  readonly place: (key: string) => { readonly Bucket: string; readonly Key: string };
  /** What the store answers; null when there is no such file. @throws CatalogError UNAVAILABLE */
  readonly ask: <T>(answer: Promise<T>) => Promise<T | null>;
}

export function createLanding({ client, place, ask }: LandingOptions): Landing {
  /** The address of a request whose headers are signed with it: all but the host must be sent as they are. */
  async function signed(command: PutObjectCommand, headers: readonly string[], seconds: number): Promise<string> {
    let address = '';
    command.middlewareStack.addRelativeTo(
      () => async (args: { request: unknown }) => {
        const request = args.request as { headers: Record<string, string> };
        const kept = Object.entries(request.headers).filter(([name]) => [...headers, 'host'].includes(name));
        // The bytes are not known yet; how many they are is.
        request.headers = { ...Object.fromEntries(kept), 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
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
      const command = new PutObjectCommand({ ...place(key), ContentLength: size, ContentType: contentType });
      return (await ask(signed(command, ['content-length', 'content-type'], seconds))) as string;
    },
    async take(from, size) {
      const found = await ask(client.send(new HeadObjectCommand(place(from))));
      if (!found) return null;
      if (found.ContentLength !== size) return { key: null, size: found.ContentLength ?? 0 };
      const key = randomUUID();
      const { Bucket, Key } = place(from);
      // The very file that was looked at: another may land meanwhile.
      const copy = { ...place(key), CopySource: `${Bucket}/${Key}`, CopySourceIfMatch: found.ETag };
      if (!(await ask(client.send(new CopyObjectCommand(copy))))) return null;
      const head =
        size === 0
          ? null
          : await ask(client.send(new GetObjectCommand({ ...place(key), Range: `bytes=0-${START - 1}` })));
      return { key, start: head ? await buffer(head.Body as Readable) : Buffer.alloc(0) };
    },
  };
}
