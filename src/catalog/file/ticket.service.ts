/**
 * Files that are announced first, sent by PUT under a token, and used by a mutation afterwards. The row is what all processes
 * share: one takes the file in, another may use it. A file that came in is kept at once, for its ticket, which is why neither
 * a crash nor another process loses it.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { newSecret, UPLOAD_PREFIX } from '../../accounts/identity/secrets.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { CatalogError, conflict, invalidField, notAuthorized, notFound, refuse } from '../../kernel/errors.ts';
import { removeDiscarded, withUpload } from './file.service.ts';
import { landingAddress, sweepLanded, TO_USE } from './landing.service.ts';
import { checkEditsAnything } from './sender.service.ts';
import { type AnnouncedFile, checkAnnounced } from './ticket.rules.ts';
import { fillTicket, findTicket, insertTicket, openTickets, type TicketRecord } from './ticket.store.ts';

const HOUR = 60 * 60 * 1000;
/** ms in which the file must begin to come in. */
const TO_SEND = HOUR;

/** What a client needs to send a file. */
export interface UploadTicket {
  readonly token: string;
  readonly url: string;
  readonly method: string;
  readonly headers: { readonly name: string; readonly value: string }[];
  readonly size: number;
  readonly expiresAt: Date;
}

export interface BeginUploadInput {
  readonly size: number;
  readonly contentType?: string | null;
  readonly sha256?: string | null;
}

/** Makes a ticket for the caller. @throws CatalogError NOT_AUTHORIZED, VALIDATION, LIMIT */
export async function uploadBegin(call: Call, input: BeginUploadInput): Promise<UploadTicket> {
  const { userId } = call.actor;
  if (userId === null) throw notAuthorized('Have to be logged in to upload files');
  await checkEditsAnything(call);
  const file: AnnouncedFile = {
    size: input.size,
    contentType: input.contentType ?? 'application/octet-stream',
    sha256: input.sha256?.toLowerCase() ?? null,
  };
  refuse(checkAnnounced(file));
  const max = call.settings['catalog.limits.upload'];
  if (file.size > max) throw limit(['size'], `The file exceeds ${max} bytes (catalog.limits.upload)`);
  const token = newSecret(UPLOAD_PREFIX);
  const tokenHash = call.secretBox.hash(token);
  const expiresAt = new Date(call.now.getTime() + TO_SEND);
  const direct = await landingAddress(call, tokenHash, file, TO_SEND / 1_000);
  await inTransaction(call, async (call) => {
    await lockRow(call.sql, 'user_account', userId, 'NO KEY UPDATE'); // two at once do not make one too many
    const maxOpen = call.settings['catalog.limits.uploads_per_user'];
    const open = await openTickets(call.db, userId, call.now);
    if (open.n >= maxOpen)
      throw limit(
        [],
        `You have reached the limit of ${maxOpen} open uploads (catalog.limits.uploads_per_user). Use their files, or wait until they expire`,
      );
    const maxBytes = call.settings['catalog.limits.upload_bytes_per_user'];
    if (open.bytes + file.size > maxBytes)
      throw limit(
        ['size'],
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

/** A file as it is being sent. */
export interface SentFile {
  readonly contentType: string | undefined;
  /** Bytes that it is said to have; undefined when it is not said. */
  readonly length: number | undefined;
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * Takes in the file of a ticket: whoever has the token may send it. Nothing is left of one that is refused or breaks, and it may be
 * sent again. Of two at once the first to be whole is taken: a broken one that is not noticed yet keeps nobody waiting.
 * @throws CatalogError NOT_FOUND (no such ticket, or expired), CONFLICT (it came in already), VALIDATION (type, too short, another hash), LIMIT (too long), UNAVAILABLE
 */
export async function uploadReceive(call: Call, token: string, sent: SentFile): Promise<void> {
  const ticket = await findTicket(call.db, call.secretBox.hash(token));
  if (!ticket) throw notFound('Unknown upload token');
  if (ticket.key !== null || ticket.used) throw takenIn();
  if (ticket.expiresAt <= call.now) throw notFound('The token has expired. Start the upload again');
  if (sent.contentType?.trim().toLowerCase() !== ticket.contentType.toLowerCase())
    throw invalidField('contentType', `Content-Type must be ${ticket.contentType}, as announced`);
  if (sent.length !== undefined) checkSize(ticket, sent.length, true);
  const key = await call.blobs.receive(Readable.from(asAnnounced(ticket, sent.bytes), { objectMode: false }));
  try {
    await withUpload(call, { token: key, name: '' }, (file) =>
      inTransaction(call, async (call) => {
        const expiresAt = new Date(call.now.getTime() + TO_USE);
        if (!(await fillTicket(call.db, ticket.tokenHash, { key, start: file!.start, expiresAt }))) throw takenIn();
        await call.blobs.keep(key);
      }),
    );
  } finally {
    await call.blobs.discard(key); // does nothing to one that is kept
  }
}

/** Deletes what came in and was never used: files of expired tickets, leftovers of a crash, and what nobody has any more. */
export async function sweepFiles(call: Call): Promise<void> {
  // A file whose PUT began in time is still let in: for an hour at most.
  const before = new Date(call.now.getTime() - HOUR);
  await sweepLanded(call, before);
  await removeDiscarded(call);
  await call.blobs.sweep();
}

/** The chunks as they come. @throws CatalogError as soon as they are more, or in the end others, than announced */
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
  if (ticket.sha256 !== null && hash.digest('hex') !== ticket.sha256)
    throw invalidField('sha256', 'The SHA-256 of the file differs from the announced one');
}

function checkSize({ size }: TicketRecord, sent: number, isAll: boolean): void {
  if (sent > size) throw limit(['size'], `The file exceeds the announced ${size} bytes`);
  if (isAll && sent < size) throw invalidField('size', `The file has ${sent} bytes, but ${size} were announced`);
}

const takenIn = () => conflict('The file of this token was already uploaded');

const limit = (path: string[], message: string) => new CatalogError('LIMIT', message, [{ path, message }]);
