/** A mail server of a test's own, on loopback; what it takes in is parsed and kept. */
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Settings } from '../../src/kernel/config.ts';

/** One mail that came in. */
export interface Received extends Email {
  /** The source as it came over the wire. */
  readonly source: string;
  /** Addresses of the envelope: who gets it, whatever the headers say. */
  readonly recipients: readonly string[];
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** Who signed in to send it; null when nobody did. */
  readonly user: string | null;
}

export type Mailbox = Awaited<ReturnType<typeof createMailbox>>;

/** How long `next` waits, in ms: mail may be sent after the answer to the request that asked for it. */
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
  server.on('error', () => {}); // a client that hangs up is the test's own
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;

  return {
    /** Settings that send mail here. */
    settings: { 'smtp.server': `127.0.0.1:${port}` } satisfies Partial<Settings>,
    /** Everything that came in, the oldest first. */
    received,
    /** The next mail, taken out of `received`; waits for it. */
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
