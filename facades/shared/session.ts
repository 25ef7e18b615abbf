/**
 * Sessions of browsers: the cookie, and proof that a request comes from our own pages. A browser sends cookies along whoever made it
 * ask, so a request that changes something counts for the session only when it shows a token that other sites cannot know, and
 * when nothing in it says that it comes from elsewhere (docs/sessions.md). Who is signed in is not known here.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { notAuthorized } from '../../src/kernel/errors.ts';
import { addCookie, cookieOf } from './cookies.ts';

export interface SessionOptions {
  /** Address of the site (catalog.site_url). */
  readonly siteUrl: string;
  /** Signs a text so that nobody else can. */
  readonly sign: (use: string, text: string) => string;
}

export interface Sessions {
  /** Secret of the session that the browser keeps; undefined without one. Whether it is still worth something is not known here. */
  secretOf(req: IncomingMessage): string | undefined;
  /** A token for forms and for the header X-CSRF-Token. Visitors without a session get a cookie that it belongs to. */
  tokenFor(req: IncomingMessage, res: ServerResponse): string;
  /** Refuses a form that our own pages have not sent. `token`: what the form says. @throws CatalogError NOT_AUTHORIZED. */
  checkForm(req: IncomingMessage, token: unknown): void;
  /** Refuses a request that changes something and counts for a session: the token stands in X-CSRF-Token. @throws CatalogError NOT_AUTHORIZED. */
  checkRequest(req: IncomingMessage): void;
  /** Has the browser keep the session. */
  signIn(res: ServerResponse, session: { readonly secret: string; readonly expiresAt: string | Date }): void;
  /** Has the browser forget it. */
  signOut(res: ServerResponse): void;
}

/** Field of forms that carries the token, by convention. */
export const TOKEN_FIELD = '_csrf_token';
const TOKEN_HEADER = 'x-csrf-token';
const SECRET_PREFIX = 'cgs_';
/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

export const isSafe = (req: IncomingMessage): boolean => SAFE.has(req.method ?? '');

export function createSessions({ siteUrl, sign }: SessionOptions): Sessions {
  const secure = siteUrl.startsWith('https:');
  // A cookie so named is taken by browsers only from this very host over TLS: no neighbour domain can plant one.
  const name = (plain: string): string => (secure ? `__Host-${plain}` : plain);
  const session = name('catalog_session');
  const visitor = name('catalog_visitor');
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;

  /** A key or token is no session: what scripts carry in headers does nothing in a cookie. */
  function secretOf(req: IncomingMessage): string | undefined {
    const secret = cookieOf(req, session);
    return secret?.startsWith(SECRET_PREFIX) ? secret : undefined;
  }

  /** What a token belongs to: the session, else the visitor's cookie. */
  function ownerOf(req: IncomingMessage): string | undefined {
    const secret = secretOf(req);
    if (secret !== undefined) return `session ${secret}`;
    const nonce = cookieOf(req, visitor);
    return nonce === undefined ? undefined : `visitor ${nonce}`;
  }

  /** A number of its own makes each token look different, so that compressed pages do not give it away. */
  function tokenOf(owner: string, nonce = randomBytes(16).toString('base64url')): string {
    return `${nonce}.${sign('csrf', `${nonce} ${owner}`)}`;
  }

  function check(req: IncomingMessage, token: unknown): void {
    if (isForeign(req, siteUrl)) throw notAuthorized('cross-site requests are not allowed');
    const owner = ownerOf(req);
    if (owner === undefined || typeof token !== 'string' || !same(token, tokenOf(owner, token.split('.', 1)[0])))
      throw notAuthorized('the CSRF token is missing or expired. Reload the page.');
  }

  return {
    secretOf,
    tokenFor(req, res) {
      const owner = ownerOf(req);
      if (owner !== undefined) return tokenOf(owner);
      const nonce = randomBytes(16).toString('base64url');
      addCookie(res, { name: visitor, value: nonce, ...attributes });
      return tokenOf(`visitor ${nonce}`);
    },
    checkForm: check,
    checkRequest: (req) => check(req, req.headers[TOKEN_HEADER]),
    signIn(res, { secret, expiresAt }) {
      addCookie(res, { name: session, value: secret, ...attributes, expires: new Date(expiresAt) });
      addCookie(res, { name: visitor, value: '', ...attributes, maxAge: 0 });
    },
    signOut: (res) => addCookie(res, { name: session, value: '', ...attributes, maxAge: 0 }),
  };
}

/**
 * Whether the browser says that another site made the request; a client that says nothing is no browser of our days.
 * `Sec-Fetch-Site` decides where a browser sends it: pages cannot set it, and it stays right behind a proxy that
 * replaces `Host`. Browsers leave it out on plain http, except to this machine; there `Origin` decides.
 */
export function isForeign(req: IncomingMessage, siteUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = req.headers;
  if (site !== undefined) return site !== 'same-origin';
  if (origin === undefined) return false;
  return !URL.canParse(origin) || ![new URL(siteUrl).host, host].includes(new URL(origin).host);
}

const same = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};
