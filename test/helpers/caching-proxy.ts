/** A shared cache in front of a site, as in RFC 9111: it stores cacheable responses, and selects by `Vary`. */
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Stored {
  readonly until: number;
  readonly vary: readonly string[];
  readonly asked: IncomingHttpHeaders;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export interface CachingProxy {
  readonly base: string;
  /** Number of responses from the cache so far. */
  readonly hits: () => number;
  readonly end: () => Promise<unknown>;
}

/** Headers that are not stored: those of the connection, and encoding and length, since `fetch` decodes bodies. */
const OWN = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-encoding', 'content-length', 'date']);

export async function createCachingProxy(origin: string): Promise<CachingProxy> {
  const store = new Map<string, Stored[]>();
  let hits = 0;
  const server = http.createServer(async (req, res) => {
    const key = req.url ?? '/';
    const variants = store.get(key) ?? [];
    const found = variants.find(
      ({ until, vary, asked }) => until > Date.now() && vary.every((name) => asked[name] === req.headers[name]),
    );
    if (found && req.method === 'GET') {
      hits += 1;
      return void res.writeHead(200, found.headers).end(found.body);
    }
    const { host: _host, connection: _connection, ...asked } = req.headers;
    const answer = await fetch(origin + key, {
      headers: asked as Record<string, string>,
      redirect: 'manual',
      method: req.method!,
    });
    const body = Buffer.from(await answer.arrayBuffer());
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN.has(name)));
    const control = headers['cache-control'] ?? '';
    const age = Number(/(?:s-maxage|max-age)=(\d+)/.exec(control)?.[1] ?? 0);
    const vary = (headers.vary ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    const mayStore = req.method === 'GET' && answer.status === 200 && /\bpublic\b/.test(control) && age > 0;
    if (mayStore && !/no-store|private|no-cache/.test(control) && !vary.includes('*'))
      store.set(key, [...variants, { until: Date.now() + age * 1000, vary, asked: req.headers, headers, body }]);
    res.writeHead(answer.status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits: () => hits,
    end: () => new Promise((resolve) => server.close(resolve)),
  };
}
