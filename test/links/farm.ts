/** Web servers of many kinds on loopback addresses (127.7.x.y). They record each request and the bytes sent. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { EXPIRED } from './expired.ts';

export interface Expected {
  readonly verdict: string;
  readonly reason: string | null;
  readonly status?: number | null;
  readonly finalUrl?: string;
}

export interface Link extends Expected {
  readonly kind: string;
  readonly host: string;
  readonly url: string;
  readonly format: string;
}

export interface Seen {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly agent: string;
  readonly headers: IncomingMessage['headers'];
  readonly start: number;
  end: number;
}

type Answer = (request: IncomingMessage, response: ServerResponse, port: number) => unknown;

interface Kind extends Omit<Expected, 'finalUrl'> {
  readonly answer: Answer;
  readonly path?: string;
  readonly format?: string;
  readonly secure?: true;
  readonly finalPath?: string;
}

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(code, headers).end();
const ok: Answer = (_request, response) =>
  response
    .writeHead(200, { 'content-type': 'text/csv; charset=utf-8', 'content-length': '4', etag: '"1"' })
    .end('a,b\n');
/** Redirects along /1, /2 and so on, then answers. */
const chain =
  (code: number, steps: number, end: Answer = ok): Answer =>
  (request, response, port) => {
    const step = Number(request.url!.slice(1)) || 0;
    if (step >= steps) return end(request, response, port);
    return response.writeHead(code, { location: `/${step + 1}` }).end();
  };
const onlyGet =
  (code: number): Answer =>
  (request, response, port) =>
    request.method === 'HEAD' ? response.writeHead(code).end() : ok(request, response, port);
const PIECE = Buffer.alloc(64 * 1024, 'x');
/** Sends an endless body, or this many bytes, as fast as it is read. Refuses HEAD. */
const flood =
  (bytes: number | null): Answer =>
  (request, response) => {
    if (request.method === 'HEAD') return response.writeHead(405).end();
    response.writeHead(200, { 'content-type': 'text/csv', ...(bytes !== null && { 'content-length': String(bytes) }) });
    let left = bytes ?? Number.POSITIVE_INFINITY;
    const send = () => {
      while (left > 0 && !response.destroyed) {
        left -= PIECE.length;
        if (!response.write(PIECE)) return response.once('drain', send);
      }
      return response.end();
    };
    return send();
  };
/** Sends no byte for 40 s, which is twice the timeout. */
const silence: Answer = (_request, response) => void setTimeout(() => response.end(), 40_000).unref();

const GB = 2 ** 30;

/** Kinds of links, in the order of their addresses. `times` is the number of links of a kind. */
const KINDS: Readonly<Record<string, Kind & { readonly times: number }>> = {
  ok: { times: 60, answer: ok, verdict: 'OK', reason: null, status: 200 },
  notFound: { times: 30, answer: status(404), verdict: 'BROKEN', reason: 'NOT_FOUND', status: 404 },
  gone: { times: 20, answer: status(410), verdict: 'BROKEN', reason: 'GONE', status: 410 },
  denied: { times: 20, answer: status(403), verdict: 'FORBIDDEN', reason: 'DENIED', status: 403 },
  signIn: { times: 5, answer: status(401), verdict: 'FORBIDDEN', reason: 'DENIED', status: 401 },
  moved: { times: 20, answer: chain(301, 3), verdict: 'MOVED', reason: 'MOVED', status: 200, finalPath: '/3' },
  movedOnce: { times: 5, answer: chain(308, 1), verdict: 'MOVED', reason: 'MOVED', status: 200, finalPath: '/1' },
  elsewhere: { times: 20, answer: chain(302, 2), verdict: 'OK', reason: null, status: 200, finalPath: '/2' },
  toNothing: { times: 5, answer: chain(301, 1, status(404)), verdict: 'BROKEN', reason: 'NOT_FOUND', status: 404 },
  loop: {
    times: 10,
    answer: (request, response) => response.writeHead(302, { location: request.url === '/a' ? '/b' : '/a' }).end(),
    verdict: 'BROKEN',
    reason: 'REDIRECT_LOOP',
  },
  endless: { times: 5, answer: chain(302, 1_000), verdict: 'BROKEN', reason: 'REDIRECT_LOOP' },
  toPrivate: {
    times: 5,
    answer: status(302, { location: 'http://127.9.9.9:PORT/secret' }),
    verdict: 'FORBIDDEN',
    reason: 'PRIVATE_ADDRESS',
  },
  toFile: {
    times: 3,
    answer: status(302, { location: 'file:///etc/passwd' }),
    verdict: 'BROKEN',
    reason: 'BAD_REDIRECT',
  },
  busy: {
    times: 10,
    answer: status(429, { 'retry-after': '3600' }),
    verdict: 'UNKNOWN',
    reason: 'RATE_LIMITED',
    status: 429,
  },
  error: { times: 10, answer: status(500), verdict: 'UNKNOWN', reason: 'SERVER_ERROR', status: 500 },
  silent: { times: 6, answer: silence, verdict: 'UNKNOWN', reason: 'TIMEOUT', status: null },
  closing: {
    times: 5,
    answer: (_request, response) => response.socket!.destroy(),
    verdict: 'UNKNOWN',
    reason: 'NETWORK',
    status: null,
  },
  headRefused: { times: 15, answer: onlyGet(405), verdict: 'OK', reason: null, status: 200 },
  headForbidden: { times: 5, answer: onlyGet(403), verdict: 'OK', reason: null, status: 200 },
  headMissing: { times: 5, answer: onlyGet(404), verdict: 'OK', reason: null, status: 200 },
  flood: { times: 3, answer: flood(null), verdict: 'OK', reason: null, status: 200 },
  large: { times: 3, answer: flood(GB), verdict: 'OK', reason: null, status: 200 },
  wrongType: {
    times: 10,
    answer: status(200, { 'content-type': 'text/html; charset=utf-8' }),
    format: 'CSV',
    verdict: 'OK',
    reason: 'WRONG_TYPE',
    status: 200,
  },
  robots: { times: 10, path: '/closed/file.csv', answer: ok, verdict: 'FORBIDDEN', reason: 'ROBOTS', status: null },
  expired: { times: 10, answer: ok, secure: true, verdict: 'BROKEN', reason: 'CERTIFICATE', status: null },
};

export interface Farm {
  readonly links: readonly Link[];
  readonly hosts: readonly string[];
  readonly seen: Seen[];
  /** Bytes sent to the checker by address, including the system's buffers. */
  sent(host: string): number;
  /** Makes all addresses of a kind answer as `ok` does. */
  heal(kind: string): void;
  end(): Promise<void>;
}

export async function createFarm(): Promise<Farm> {
  const kindOf = new Map<string, Kind>();
  const seen: Seen[] = [];
  const healed = new Set<Kind>();
  const sockets = new Map<Socket, { host: string; bytes: number }>();
  const bytes = new Map<string, number>();
  let port = 0;
  const listener: RequestListener = (request, response) => {
    const host = request.socket.localAddress!.replace('::ffff:', '');
    const one: Seen = {
      host,
      method: request.method!,
      path: request.url!,
      agent: request.headers['user-agent'] ?? '',
      headers: request.headers,
      start: performance.now(),
      end: Number.POSITIVE_INFINITY,
    };
    seen.push(one);
    response.on('close', () => (one.end = performance.now()));
    if (request.url === '/robots.txt') {
      response.writeHead(200, { 'content-type': 'text/plain' });
      return response.end('User-agent: *\nDisallow: /closed/\n');
    }
    const kind = kindOf.get(host);
    if (!kind) return response.writeHead(200).end('nobody may read this');
    const answer = healed.has(kind) ? ok : kind.answer;
    const { writeHead } = response;
    response.writeHead = (code: number, headers: any) =>
      writeHead.call(
        response,
        code,
        headers?.location ? { ...headers, location: headers.location.replace('PORT', String(port)) } : headers,
      );
    return answer(request, response, port);
  };
  const plain = createServer({ keepAliveTimeout: 100 }, listener);
  const secure = createSecureServer(EXPIRED, listener);
  for (const server of [plain, secure])
    server.on(server === plain ? 'connection' : 'secureConnection', (socket: Socket) => {
      const host = socket.localAddress!.replace('::ffff:', '');
      sockets.set(socket, { host, bytes: 0 });
      socket.on('error', () => {});
      socket.on('close', () => {
        bytes.set(host, (bytes.get(host) ?? 0) + socket.bytesWritten);
        sockets.delete(socket);
      });
    });
  await Promise.all(
    [plain, secure].map((server) => new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))),
  );
  port = (plain.address() as AddressInfo).port;
  const securePort = (secure.address() as AddressInfo).port;
  const links: Link[] = [];
  for (const [name, { times, ...kind }] of Object.entries(KINDS))
    for (let n = 0; n < times; n += 1) {
      const number = links.length + 1;
      const host = `127.7.${Math.floor(number / 200)}.${(number % 200) + 1}`;
      const base = kind.secure ? `https://${host}:${securePort}` : `http://${host}:${port}`;
      kindOf.set(host, KINDS[name]!);
      links.push({
        kind: name,
        host,
        url: `${base}${kind.path ?? '/0'}`,
        format: kind.format ?? '',
        verdict: kind.verdict,
        reason: kind.reason,
        ...(kind.status !== undefined && { status: kind.status }),
        ...(kind.finalPath && { finalUrl: `${base}${kind.finalPath}` }),
      });
    }
  return {
    links,
    hosts: links.map(({ host }) => host),
    seen,
    sent: (host) =>
      (bytes.get(host) ?? 0) +
      [...sockets].reduce((sum, [socket, one]) => sum + (one.host === host ? socket.bytesWritten : 0), 0),
    heal: (kind) => void healed.add(KINDS[kind]!),
    async end() {
      for (const server of [plain, secure]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
