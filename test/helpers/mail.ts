/** A mail server for one test, on the loopback. It parses and stores each mail. */
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Settings } from '../../src/kernel/settings.ts';

/** One received mail. */
export interface Received extends Email {
  /** The source, unparsed. */
  readonly source: string;
  /** Recipients in the envelope, which may differ from the headers. */
  readonly recipients: readonly string[];
  /** Whether it was received over TLS. */
  readonly secure: boolean;
  /** The authenticated sender; null without authentication. */
  readonly user: string | null;
}

export type Mailbox = Awaited<ReturnType<typeof createMailbox>>;

/** Timeout of `next` in ms: a mail may be sent after the response to its request. */
const TIMEOUT = 120_000;

export async function createMailbox(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  let told: () => void = () => {};
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    ...options,
    async onData(stream, session, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const source = Buffer.concat(chunks).toString('utf8');
      received.push({
        ...(await PostalMime.parse(source)),
        source,
        recipients: session.envelope.rcptTo.map(({ address }) => address),
        secure: session.secure,
        user: session.user || null,
      });
      done();
      told();
    },
  });
  server.on('error', () => {}); // a client that disconnects is part of a test
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;

  return {
    /** Settings that send mail here. */
    settings: { 'smtp.server': `127.0.0.1:${port}` } satisfies Partial<Settings>,
    /** All received mails, the oldest first. */
    received,
    /** Waits for the next mail, and removes it from `received`. */
    async next(): Promise<Received> {
      const until = Date.now() + TIMEOUT;
      for (;;) {
        const mail = received.shift();
        if (mail) return mail;
        if (Date.now() > until) throw new Error('no mail came');
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 200);
          told = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    end: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}
