/** Rules of upload tickets: announced files, and when a ticket may be used. Pure. */
import type { Problem } from '../../kernel/errors.ts';

/** A file announced by a user. */
export interface AnnouncedFile {
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** In hexadecimal; null when omitted. */
  readonly sha256: string | null;
}

const MAX_LENGTH = 255;
const WORD = '[\\w!#$&^.+-]+';
const MEDIA_TYPE = new RegExp(`^${WORD}/${WORD}( *; *${WORD}=(${WORD}|"[\\w !#$&^.+/;:,=-]*"))*$`);

/** All problems of the announcement, except a size above the limit. */
export function checkAnnounced({ size, contentType, sha256 }: AnnouncedFile): Problem[] {
  const problems: Problem[] = [];
  if (size < 0) problems.push({ path: ['size'], message: 'Must not be negative' });
  if (contentType.length > MAX_LENGTH || !MEDIA_TYPE.test(contentType))
    problems.push({
      path: ['contentType'],
      message: `Must be a media type, such as text/csv, of at most ${MAX_LENGTH} characters`,
    });
  if (sha256 !== null && !/^[0-9a-f]{64}$/i.test(sha256))
    problems.push({ path: ['sha256'], message: 'Must be 64 hexadecimal digits' });
  return problems;
}

/** The stored facts of a ticket. */
export interface TicketState {
  readonly userId: string;
  /** When the upload must start, as announced to the user; after the upload, when it must be used. */
  readonly expiresAt: Date;
  /** Null when there is no file. */
  readonly key: string | null;
  readonly used: boolean;
}

/** The problem of a file that was already used. */
export const USED = 'The file of this token was already used: a token can be used once';

/** Why the caller cannot use the file of a ticket; null when they can. Says nothing about other users' tickets. */
export function whyNotUsable(ticket: TicketState | null, userId: string | null, now: Date): string | null {
  if (ticket === null || ticket.userId !== userId)
    return 'You have not uploaded a file with this token. Send the file with the request, as multipart/form-data, or use beginUpload';
  if (ticket.used) return USED;
  if (ticket.expiresAt <= now) return 'The token has expired. Start the upload again';
  return ticket.key === null ? 'The file has not been uploaded yet. Send it to the URL of the upload first' : null;
}
