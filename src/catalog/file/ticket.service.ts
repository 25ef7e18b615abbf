/**
 * Uploads in two steps: a user announces a file and sends it by PUT under a token, then a mutation uses it. All
 * processes share the ticket's row: one receives the file, another may use it. The file is stored for its ticket at
 * once, so neither a crash nor another process loses it.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { newSecret, UPLOAD_PREFIX } from '../../accounts/identity/secrets.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, CatalogError, conflict, invalidField, limitAt, notFound, refuse } from '../../kernel/errors.ts';
import { maySendFile } from '../../kernel/mutation.ts';
import { removeDiscarded, withUpload } from './file.service.ts';
import { landingAddress, sweepLanded, TO_USE } from './landing.service.ts';
import { checkEditsAnything } from './sender.service.ts';
import { type AnnouncedFile, checkAnnounced } from './ticket.rules.ts';
import { fillTicket, findTicket, insertTicket, openTickets, type TicketRecord } from './ticket.store.ts';

const HOUR = 60 * 60 * 1000;
/** ms in which the upload must start. */
const TO_SEND = HOUR;

/** Instructions for sending a file. */
export interface UploadTicket {
  readonly token: string;
  readonly url: string;
  readonly method: 'PUT';
  readonly headers: { readonly name: string; readonly value: string }[];
  readonly size: number;
  readonly expiresAt: Date;
}

export interface BeginUploadInput {
  readonly size: number;
  readonly contentType?: string | null;
  readonly sha256?: string | null;
}

/** Creates a ticket for the caller. @throws CatalogError NOT_AUTHORIZED, VALIDATION, LIMIT */
export async function uploadBegin(call: Call, input: BeginUploadInput): Promise<UploadTicket> {
  allow(maySendFile(call.actor));
  const userId = call.actor.userId!;
  await checkEditsAnything(call);
  const file: AnnouncedFile = {
    size: input.size,
    contentType: input.contentType ?? 'application/octet-stream',
    sha256: input.sha256?.toLowerCase() ?? null,
  };
  refuse(checkAnnounced(file));
  const max = call.settings['catalog.limits.upload'];
  if (file.size > max) throw limitAt('size', `The file exceeds ${max} bytes (catalog.limits.upload)`);
  const token = newSecret(UPLOAD_PREFIX);
  const tokenHash = call.secrets.secretBox.hash(token);
  const expiresAt = new Date(call.request.now.getTime() + TO_SEND);
  const direct = await landingAddress(call, tokenHash, file, TO_SEND / 1_000);
  await inTransaction(call, async (call) => {
    await lockRow(call.sql, 'user_account', userId, 'NO KEY UPDATE'); // two concurrent requests cannot exceed the limit
    const maxOpen = call.settings['catalog.limits.uploads_per_user'];
    const open = await openTickets(call.db, userId, call.request.now);
    if (open.n >= maxOpen)
      throw new CatalogError(
        'LIMIT',
        `You have reached the limit of ${maxOpen} open uploads (catalog.limits.uploads_per_user). Use their files, or wait until they expire`,
      );
    const maxBytes = call.settings['catalog.limits.upload_bytes_per_user'];
    if (open.bytes + file.size > maxBytes)
      throw limitAt(
        'size',
        `Your open uploads have ${open.bytes} bytes, and ${file.size} more would exceed ${maxBytes} (catalog.limits.upload_bytes_per_user). Use the files, or wait until they expire`,
      );
    await insertTicket(call.db, { ...file, tokenHash, userId, expiresAt });
  });
  return {
    token,
    url: direct ?? `${call.settings['catalog.site_url']}/upload/${token}`,
    method: 'PUT',
    headers: [{ name: 'Content-Type', value: file.contentType }],
    size: file.size,
    expiresAt,
  };
}

/** A file in transfer. */
export interface SentFile {
  readonly contentType: string | undefined;
  /** Content length in bytes; undefined when unknown. */
  readonly length: number | undefined;
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * Receives the file of a ticket; the token is the permission. A refused or broken upload is deleted and may be
 * repeated. Of two concurrent uploads the first complete one wins: an undetected broken one blocks no other. @throws
 * CatalogError NOT_FOUND (unknown or expired ticket), CONFLICT (already uploaded), VALIDATION (type, too short, another
 * hash), LIMIT (too long), UNAVAILABLE
 */
export async function uploadReceive(call: Call, token: string, sent: SentFile): Promise<void> {
  const ticket = await findTicket(call.db, call.secrets.secretBox.hash(token));
  if (!ticket) throw notFound('Unknown upload token');
  if (ticket.key !== null || ticket.used) throw takenIn();
  if (ticket.expiresAt <= call.request.now) throw notFound('The token has expired. Start the upload again');
  if (sent.contentType?.trim().toLowerCase() !== ticket.contentType.toLowerCase())
    throw invalidField('contentType', `Content-Type must be ${ticket.contentType}, as announced`);
  if (sent.length !== undefined) checkSize(ticket, sent.length, true);
  const key = await call.stores.blobs.receive(Readable.from(asAnnounced(ticket, sent.bytes), { objectMode: false }));
  try {
    await withUpload(call, { token: key, name: '' }, (file) =>
      inTransaction(call, async (call) => {
        const expiresAt = new Date(call.request.now.getTime() + TO_USE);
        if (!(await fillTicket(call.db, ticket.tokenHash, { key, start: file!.start, expiresAt }))) throw takenIn();
        await call.stores.blobs.keep(key);
      }),
    );
  } finally {
    await call.stores.blobs.discard(key); // does nothing to a file that is in use
  }
}

/** Deletes unused uploads: files of expired tickets, leftovers of a crash, and discarded files. */
export async function sweepFiles(call: Call): Promise<void> {
  // A PUT that started in time may last up to an hour.
  const before = new Date(call.request.now.getTime() - HOUR);
  await sweepLanded(call, before);
  await removeDiscarded(call);
  await call.stores.blobs.sweep();
}

/**
 * Passes the chunks through. @throws CatalogError as soon as they exceed the announced size, or at the end if they
 * differ from the announcement
 */
async function* asAnnounced(ticket: TicketRecord, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    checkSize(ticket, size, false);
    if (ticket.sha256 !== null) hash.update(chunk);
    yield chunk;
  }
  checkSize(ticket, size, true);
  if (ticket.sha256 === null) return;
  const digest = hash.digest('hex');
  if (digest !== ticket.sha256)
    throw invalidField('sha256', `The file has the SHA-256 ${digest}, but ${ticket.sha256} was announced`);
}

function checkSize({ size }: TicketRecord, sent: number, isAll: boolean): void {
  if (sent > size) throw limitAt('size', `The file exceeds the announced ${size} bytes`);
  if (isAll && sent < size) throw invalidField('size', `The file has ${sent} bytes, but ${size} were announced`);
}

const takenIn = () => conflict('The file of this token was already uploaded');
