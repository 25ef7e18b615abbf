/** Upload tickets; stores only hashes of their tokens. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

const TICKET = {
  tokenHash: true,
  userId: true,
  size: true,
  contentType: true,
  sha256: true,
  expiresAt: true,
  key: true,
  start: true,
  used: true,
} satisfies Prisma.UploadTicketSelect;
type TicketRow = Prisma.UploadTicketGetPayload<{ select: typeof TICKET }>;

/** The announced file, and the file and its first bytes after the upload. */
export type TicketRecord = Omit<TicketRow, 'size' | 'start'> & { size: number; start: Buffer | null };

/** Tickets that expired before `before` and have or had a file, and others that expired before `unsent`. */
const expired = (before: Date, unsent: Date) =>
  ({
    expiresAt: { lt: before },
    OR: [{ key: { not: null } }, { used: true }, { expiresAt: { lt: unsent } }],
  }) satisfies Prisma.UploadTicketWhereInput;

/** Number of a user's open tickets, and the bytes announced for them and for files not deleted yet. */
export async function openTickets(db: Db, userId: string, now: Date): Promise<{ n: number; bytes: number }> {
  const tickets = await db.uploadTicket.findMany({
    select: { size: true, expiresAt: true },
    where: { userId, used: false, OR: [{ expiresAt: { gt: now } }, { key: { not: null } }] },
  });
  return {
    n: tickets.filter(({ expiresAt }) => expiresAt > now).length,
    bytes: tickets.reduce((bytes, { size }) => bytes + Number(size), 0),
  };
}

/** Stores a new ticket, without a file. */
export const insertTicket = async (db: Db, ticket: Omit<TicketRecord, 'key' | 'start' | 'used'>): Promise<void> =>
  void (await db.uploadTicket.create({ select: { tokenHash: true }, data: ticket }));

/** By the hash of its token; null for an unknown one. */
export async function findTicket(db: Db, tokenHash: string): Promise<TicketRecord | null> {
  const row = await db.uploadTicket.findUnique({ select: TICKET, where: { tokenHash } });
  return row && { ...row, size: Number(row.size), start: row.start && Buffer.from(row.start) };
}

/** Assigns the uploaded file to a ticket. False if it has or had one, or was deleted. */
export const fillTicket = async (
  db: Db,
  tokenHash: string,
  { key, start, expiresAt }: { key: string; start: Buffer; expiresAt: Date },
): Promise<boolean> => {
  const where = { tokenHash, key: null, used: false };
  const data = { key, start: Uint8Array.from(start), expiresAt };
  return (await db.uploadTicket.updateMany({ where, data })).count > 0;
};

/** Removes the file from a ticket, for another use. False if it is no longer there. */
export const takeFile = async (db: Db, tokenHash: string, key: string): Promise<boolean> =>
  (await db.uploadTicket.updateMany({ where: { tokenHash, key }, data: { key: null, used: true } })).count > 0;

/** Hashes of the tokens of expired tickets; of those without a file before `unsent`, at or before `before`. */
export const expiredTickets = async (db: Db, before: Date, unsent: Date): Promise<string[]> =>
  (await db.uploadTicket.findMany({ select: { tokenHash: true }, where: expired(before, unsent) })).map(
    ({ tokenHash }) => tokenHash,
  );

/** Deletes the same tickets and discards their files. */
export const deleteExpiredTickets = async (db: Db, before: Date, unsent: Date): Promise<void> =>
  void (await db.uploadTicket.deleteMany({ where: expired(before, unsent) }));
