/**
 * Files of tickets that are sent straight to the store, and not by us: the store is asked for them when a mutation uses the token.
 * Where they land follows from the token's hash, so nothing is written until then.
 */
import { createHash } from 'node:crypto';
import { afterCommit, afterEnd, type Call, inTransaction } from '../../kernel/call.ts';
import { isKept } from './file.store.ts';
import type { AnnouncedFile, TicketState } from './ticket.rules.ts';
import { deleteExpiredTickets, expiredTickets, fillTicket, findTicket, type TicketRecord } from './ticket.store.ts';

/** ms in which a file must be used: from the beginning of a PUT to us, which takes an hour at most, or from when it may be sent no more. */
export const TO_USE = 2 * 60 * 60 * 1000;

/** Of the form that the store gives its keys. */
function landingOf(tokenHash: string): string {
  const hex = createHash('sha256').update(`landing ${tokenHash}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** An address of the store's own to send the file to, good for so many seconds; null where it has to come by us. @throws CatalogError UNAVAILABLE */
export async function landingAddress(
  call: Call,
  tokenHash: string,
  file: AnnouncedFile,
  seconds: number,
): Promise<string | null> {
  const { landing } = call.blobs;
  // A hash is compared by us alone: not every store knows how.
  if (!call.settings['catalog.files.direct'] || !landing || file.sha256 !== null || file.size > landing.max)
    return null;
  return landing.addressOf(landingOf(tokenHash), file, seconds);
}

/** Whether the file of a ticket may be in the store without our knowing: sent in time, it may be used for longer. */
const mayHaveLanded = (ticket: TicketState, call: Call): boolean =>
  ticket.key === null &&
  !ticket.used &&
  ticket.userId === call.actor.userId &&
  ticket.expiresAt.getTime() + TO_USE > call.now.getTime();

/**
 * The ticket with its file, where that has landed: it gets a key of its own, and is the ticket's from then on. One of another size than
 * announced is deleted, and counts as not sent. @throws CatalogError UNAVAILABLE
 */
export async function withLanded(call: Call, ticket: TicketRecord | null): Promise<TicketRecord | null> {
  const { blobs } = call;
  if (!ticket || !blobs.landing || !mayHaveLanded(ticket, call)) return ticket;
  const { tokenHash } = ticket;
  const found = await blobs.landing.take(landingOf(tokenHash), ticket.size);
  // Where somebody else took it since the ticket was read, the ticket says so by now.
  if (!found) return findTicket(call.db, tokenHash);
  if (found.key === null) {
    await blobs.remove(landingOf(tokenHash));
    return ticket;
  }
  const file = { ...found, expiresAt: new Date(call.now.getTime() + TO_USE) };
  await inTransaction(call, async (call) => {
    afterCommit(call, () => blobs.remove(landingOf(tokenHash)));
    // Somebody else was first, or nothing is written: then the copy is nobody's.
    afterEnd(call, async ({ db }) => ((await isKept(db, found.key)) ? undefined : blobs.remove(found.key)));
    await fillTicket(call.db, tokenHash, file);
  });
  return findTicket(call.db, tokenHash);
}

/** Forgets tickets that expired before, with what landed for them; not those whose file may be in the store and be used yet. */
export async function sweepLanded({ blobs, db }: Call, before: Date): Promise<void> {
  const unsent = blobs.landing ? new Date(before.getTime() - TO_USE) : before;
  if (blobs.landing)
    for (const tokenHash of await expiredTickets(db, before, unsent)) await blobs.remove(landingOf(tokenHash));
  await deleteExpiredTickets(db, before, unsent);
}
