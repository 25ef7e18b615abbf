/** A receiver of webhooks: a real server that stores the messages, and answers as the test defines. It has its own signature check. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed text. */
  readonly body: any;
  /** Status of the reply; 0 without one. */
  readonly status: number;
}

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
}

export type Receiver = Awaited<ReturnType<typeof createReceiver>>;

/** `answer` returns the reply to each message; null sends no reply. */
export async function createReceiver(port = 0) {
  const received: Received[] = [];
  const self = {
    answer: (_message: Omit<Received, 'status'>): Reply | null | Promise<Reply | null> => ({ status: 204 }),
  };
  const server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const text = Buffer.concat(chunks).toString();
      const message = { id: String(req.headers['webhook-id']), headers: req.headers, text, body: JSON.parse(text) };
      const reply = await self.answer(message);
      received.push({ ...message, status: reply?.status ?? 0 });
      if (reply) res.writeHead(reply.status, reply.headers).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(self, {
    received,
    host,
    url: `http://${host}/hook?key=in-the-address`,
    /** Accepted messages. */
    taken: () => received.filter(({ status }) => status >= 200 && status < 300),
    end() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

/** Checks each signature of a message against this secret. Written from the specification, without code of this project. */
export function signaturesBy(secret: string, { headers, text }: Pick<Received, 'headers' | 'text'>): boolean[] {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const expected = createHmac('sha256', key).update(signed).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}
