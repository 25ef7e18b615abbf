/**
 * Uploads that clients send directly to the store. A mutation that uses the token looks for the file in the store. The
 * store's key derives from the token's hash, so nothing is written until then.
 */
import { createHash } from 'node:crypto';
import { afterCommit, afterEnd, type Call, inTransaction } from '../../kernel/call.ts';
import { isStored } from './file.store.ts';
import type { AnnouncedFile, TicketState } from './ticket.rules.ts';
import { deleteExpiredTickets, expiredTickets, fillTicket, findTicket, type TicketRecord } from './ticket.store.ts';

/** ms in which a file must be used: from the start of a PUT to this server (at most an hour), or from the end of the time to send it. */
export const TO_USE = 2 * 60 * 60 * 1000;

/** Has the form of the store's keys. */
function landingOf(tokenHash: string): string {
  const hex = createHash('sha256').update(`landing ${tokenHash}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * A presigned address of the store for the upload, valid for the given seconds; null when the file must be sent to this
 * server. @throws CatalogError UNAVAILABLE
 */
export async function landingAddress(
  call: Call,
  tokenHash: string,
  file: AnnouncedFile,
  seconds: number,
): Promise<string | null> {
  const { landing } = call.stores.blobs;
  // Only this server compares hashes: not every store supports it.
  if (!call.settings['catalog.files.direct'] || !landing || file.sha256 !== null || file.size > landing.max)
    return null;
  return landing.addressOf(landingOf(tokenHash), file, seconds);
}

/** Whether the file may be in the store already. A file sent in time may be used for longer. */
const mayHaveLanded = (ticket: TicketState, call: Call): boolean =>
  ticket.key === null &&
  !ticket.used &&
  ticket.userId === call.actor.userId &&
  ticket.expiresAt.getTime() + TO_USE > call.request.now.getTime();

/**
 * The ticket with its file, if that was uploaded: the file is copied to its own key and assigned to the ticket. A file
 * of another size than announced is deleted and counts as not sent. @throws CatalogError UNAVAILABLE
 */
export async function withLanded(call: Call, ticket: TicketRecord | null): Promise<TicketRecord | null> {
  const {
    stores: { blobs },
  } = call;
  if (!ticket || !blobs.landing || !mayHaveLanded(ticket, call)) return ticket;
  const { tokenHash } = ticket;
  const found = await blobs.landing.take(landingOf(tokenHash), ticket.size);
  // If another request used the file since the ticket was read, the ticket has changed.
  if (!found) return findTicket(call.db, tokenHash);
  if (found.key === null) {
    await blobs.remove(landingOf(tokenHash));
    return ticket;
  }
  const file = { ...found, expiresAt: new Date(call.request.now.getTime() + TO_USE) };
  await inTransaction(call, async (call) => {
    afterCommit(call, () => blobs.remove(landingOf(tokenHash)));
    // If another request was first, or the transaction rolls back, the copy is unused and deleted.
    afterEnd(call, async ({ db }) => ((await isStored(db, found.key)) ? undefined : blobs.remove(found.key)));
    await fillTicket(call.db, tokenHash, file);
  });
  return findTicket(call.db, tokenHash);
}

/** Deletes tickets that expired before a time, with their uploads; except tickets whose upload may still be used. */
export async function sweepLanded({ db, stores: { blobs } }: Call, before: Date): Promise<void> {
  const unsent = blobs.landing ? new Date(before.getTime() - TO_USE) : before;
  if (blobs.landing)
    for (const tokenHash of await expiredTickets(db, before, unsent)) await blobs.remove(landingOf(tokenHash));
  await deleteExpiredTickets(db, before, unsent);
}
