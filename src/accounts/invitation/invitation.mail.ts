/** Text of invitation mails. Pure. */
import type { MailMessage } from '../../infra/mail.ts';
import type { Settings } from '../../kernel/settings.ts';
import { renewable } from '../recovery/recovery.mail.ts';

interface Invitation {
  readonly user: { readonly name: string; readonly email: string | null };
  readonly link: string;
  /** Of the group or organization. */
  readonly title: string;
  readonly inviter: string | null;
}

export function invitationMail(settings: Settings, { user, link, title, inviter }: Invitation): MailMessage {
  const site = settings['catalog.site_title'];
  return {
    to: user.email ?? '',
    subject: `Invitation to ${site}`,
    text: [
      `${inviter ?? 'Somebody'} has invited you to ${title} at ${site}. Your account is called ${user.name}.`,
      `To start, choose a password here:\n\n${link}`,
      renewable(settings),
      settings['catalog.site_url'],
    ].join('\n\n'),
  };
}
