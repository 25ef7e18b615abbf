/** Sends mail. Features decide on content, recipients and permission. */

/** One plain-text mail to one person. */
export interface MailMessage {
  /** One address, without a name. */
  readonly to: string;
  /** Display name for the mail's header. */
  readonly toName?: string | null;
  /** One line; line breaks and control characters become spaces. */
  readonly subject: string;
  readonly text: string;
}

export interface Mail {
  /** Whether this installation sends mail (smtp.server). */
  readonly available: boolean;
  /**
   * Passes the mail to the mail server, for requests whose purpose is the mail. @throws CatalogError UNAVAILABLE if
   * mail is disabled or refused; VALIDATION for an invalid address.
   */
  send(message: MailMessage): Promise<void>;
  /** The same for mail that accompanies a request: failures are logged. Returns whether the mail server accepted the mail. */
  offer(message: MailMessage): Promise<boolean>;
}

/** Maximum characters of a mail address. */
export const MAX_ADDRESS = 254;
/** Exactly one address: no list, name, comment or quotes, and nothing that could begin another header. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

/** Whether a text has the form of one mail address. */
export const isMailAddress = (text: string): boolean => text.length <= MAX_ADDRESS && ADDRESS.test(text);
