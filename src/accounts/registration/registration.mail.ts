/** Text of the mail that confirms an e-mail address. Pure. */
import type { MailMessage } from '../../infra/mail.ts';
import type { Settings } from '../../kernel/settings.ts';
import { type Recipient, renewable } from '../recovery/recovery.mail.ts';

export const confirmationMail = (
  settings: Settings,
  { displayName, name, email }: Recipient,
  link: string,
): MailMessage => ({
  to: email,
  toName: displayName,
  subject: `Confirm your account at ${settings['catalog.site_title']}`,
  text: [
    `Someone, probably you, registered the account ${name} with this e-mail address at ${settings['catalog.site_title']}.`,
    `To start, choose a password here:\n\n${link}`,
    renewable(settings),
    'If it was not you, do nothing: without a password nobody can use the account.',
    settings['catalog.site_url'],
  ].join('\n\n'),
});
