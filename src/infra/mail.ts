/** Sending mail. What is written to whom, and whether it may be, is for features to say. */

/** One mail in plain text to one person. */
export interface MailMessage {
  /** One address, without a name. */
  readonly to: string;
  /** Name of the person, for the mail's header. */
  readonly toName?: string | null;
  /** One line; line breaks and control characters become spaces. */
  readonly subject: string;
  readonly text: string;
}

export interface Mail {
  /** Whether this installation sends mail at all (smtp.server). */
  readonly available: boolean;
  /**
   * Hands the mail over to the mail server; for mail that is the point of a request.
   * @throws CatalogError UNAVAILABLE where no mail is sent or the server refuses; VALIDATION for what is no address.
   */
  send(message: MailMessage): Promise<void>;
  /** The same for mail that only accompanies a request: failures are logged. Answers whether the mail was handed over. */
  offer(message: MailMessage): Promise<boolean>;
}

const MAX_LENGTH = 254;
/** One address and nothing else: no list, no name, no comment, no quotes, nothing that could begin another header. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

/** Whether a text is one address that mail can be sent to, as far as its form tells. */
export const isMailAddress = (text: string): boolean => text.length <= MAX_LENGTH && ADDRESS.test(text);
