/** Text of mails with one-time keys, and their links. Pure. */
import type { MailMessage } from '../../infra/mail.ts';
import type { Settings } from '../../kernel/settings.ts';

/** A user with an e-mail address. */
export interface Recipient {
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
}

/** The URL of the page for choosing a password. */
export const resetLink = (settings: Settings, userId: string, key: string): string =>
  `${settings['catalog.site_url']}/user/reset/${encodeURIComponent(userId)}?key=${encodeURIComponent(key)}`;

export const resetMail = (settings: Settings, { displayName, name, email }: Recipient, link: string): MailMessage => ({
  to: email,
  toName: displayName,
  subject: `Choose a new password for ${settings['catalog.site_title']}`,
  text: [
    `Someone, probably you, requested a new password for the account ${name} at ${settings['catalog.site_title']}.`,
    `Choose it here:\n\n${link}`,
    'The API key and the tokens of the account end with the old password. Programs that use them need new ones.',
    `The link works once, for ${lifetime(settings)}. If it was not you, do nothing: your password stays as it is.`,
    settings['catalog.site_url'],
  ].join('\n\n'),
});

/** The lifetime of a link, as text. */
const lifetime = (settings: Settings): string => {
  const minutes = Math.round(settings['catalog.auth.reset_key_lifetime'] / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
};

/** How long a link is valid, and where to request another one. */
export const renewable = (settings: Settings): string =>
  `The link works once, for ${lifetime(settings)}. You can request a new link at ${settings['catalog.site_url']}/user/reset.`;
