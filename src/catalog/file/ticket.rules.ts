/** What may be announced as an upload, and when a ticket may be used. Pure. */
import type { Problem } from '../../kernel/errors.ts';

/** A file that a user announces. */
export interface AnnouncedFile {
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** In hexadecimal; null when not said. */
  readonly sha256: string | null;
}

const MAX_LENGTH = 255;
const WORD = '[\\w!#$&^.+-]+';
const MEDIA_TYPE = new RegExp(`^${WORD}/${WORD}( *; *${WORD}=(${WORD}|"[\\w !#$&^.+/;:,=-]*"))*$`);

/** All that is wrong with it, but for a size beyond the limit. */
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

/** What is known of a ticket. */
export interface TicketState {
  readonly userId: string;
  /** Until when the file must begin to come in, as the user was told; once we know that it did, until when it must be used. */
  readonly expiresAt: Date;
  /** Null when no file is there. */
  readonly key: string | null;
  readonly used: boolean;
}

/** What is said of a file that something else has taken. */
export const USED = 'The file of this token was already used: a token can be used once';

/** Why the caller cannot use the file of a ticket; null when they can. Of other people's tickets nothing is told. */
export function whyNotUsable(ticket: TicketState | null, userId: string | null, now: Date): string | null {
  if (ticket === null || ticket.userId !== userId)
    return 'You have not uploaded a file with this token. Send the file with the request, as multipart/form-data, or use beginUpload';
  if (ticket.used) return USED;
  if (ticket.expiresAt <= now) return 'The token has expired. Start the upload again';
  return ticket.key === null ? 'The file has not been uploaded yet. Send it to the URL of the upload first' : null;
}
