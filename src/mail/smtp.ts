/** Sends mail over SMTP, one connection per mail, because a catalog sends few. Mail texts contain secrets and are never logged. */
import { createTransport } from 'nodemailer';
import type { Logger } from '../infra/log/log.ts';
import { isMailAddress, type Mail, type MailMessage } from '../infra/mail.ts';
import { CatalogError } from '../kernel/errors.ts';
import { type Meter, noMeter } from '../kernel/meter.ts';
import type { Settings } from '../kernel/settings.ts';
import { oneLine } from '../kernel/text.ts';

export interface MailOptions {
  readonly settings: Settings;
  readonly log: Logger;
  /** Counts events for metrics. */
  readonly meter?: Meter;
}

/** Timeout of the mail server in ms. */
const TIMEOUT = 20_000;
/** The port with implicit TLS. */
const SMTPS = 465;

/** Mailer for the settings. Without `smtp.server`, it refuses to send. */
export function createMail({ settings, log, meter = noMeter }: MailOptions): Mail {
  const server = settings['smtp.server'];
  const send = server === null ? refuse : sender(server, { settings, log, meter });
  return {
    available: server !== null,
    send,
    async offer(message) {
      try {
        await send(message);
        return true;
      } catch (failure) {
        if (!(failure instanceof CatalogError)) throw failure;
        log.warn({ subject: message.subject, reason: failure.message }, 'mail not sent');
        return false;
      }
    },
  };
}

async function refuse(): Promise<void> {
  throw new CatalogError('UNAVAILABLE', 'This site sends no mail: smtp.server is not set.');
}

function sender(server: string, { settings, log, meter = noMeter }: MailOptions): Mail['send'] {
  const { 'smtp.user': user, 'smtp.password': pass, 'smtp.starttls': startTls } = settings;
  const { host, port } = addressOf(server);
  const transport = createTransport({
    host,
    port,
    secure: port === SMTPS,
    requireTLS: startTls,
    // Without `starttls`, TLS is used when offered, with any certificate: better than plain text.
    tls: { rejectUnauthorized: startTls || port === SMTPS },
    ...(user !== null && { auth: { user, pass: pass ?? '' } }),
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const from = { name: oneLine(settings['catalog.site_title']), address: settings['smtp.mail_from'] };
  const replyTo = settings['smtp.reply_to'] ?? undefined;
  return async (message) => {
    if (!isMailAddress(message.to))
      throw new CatalogError('VALIDATION', 'Mail requires exactly one recipient address.');
    try {
      await transport.sendMail({ from, replyTo, ...written(message) });
      meter.add('catalog_mails_total', ['sent']);
    } catch (failure) {
      const { message: reason, code, responseCode } = failure as Error & { code?: string; responseCode?: number };
      meter.add('catalog_mails_total', ['failed']);
      log.error({ server, code, responseCode, reason }, 'the mail server refused a mail');
      throw new CatalogError('UNAVAILABLE', 'The mail could not be sent. Try again later.');
    }
  };
}

/** Tells auto-responders not to reply (RFC 3834). */
const written = ({ to, toName, subject, text }: MailMessage) => ({
  to: { name: oneLine(toName ?? ''), address: to },
  subject: oneLine(subject),
  text,
  headers: { 'Auto-Submitted': 'auto-generated' },
});

/** Parses `host`, `host:port`, `[address]:port`. */
function addressOf(server: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [];
  return { host: (bracketed ?? plain)!, port: Number(port ?? 25) };
}
