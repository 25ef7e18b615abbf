/**
 * Browser sessions: cookie and CSRF protection. Browsers send cookies with cross-site requests, so a request that changes something counts
 * for the session only with a token unknown to other sites, and without signs of another origin (docs/sessions.md). This file does not
 * authenticate users.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { notAuthorized } from '../../src/kernel/errors.ts';
import { addCookie, cookieOf } from './cookies.ts';

export interface SessionOptions {
  /** URL of the site (catalog.site_url). */
  readonly siteUrl: string;
  /** Signs a text with the site's secret. */
  readonly sign: (use: string, text: string) => string;
}

export interface Sessions {
  /** Secret of the session in the cookie; undefined without one. May be expired. */
  secretOf(req: IncomingMessage): string | undefined;
  /** A token for forms and for the header X-CSRF-Token. Sets a cookie for visitors without a session. */
  tokenFor(req: IncomingMessage, res: ServerResponse): string;
  /** Refuses a form not sent by our own pages. `token`: the form's field. @throws CatalogError NOT_AUTHORIZED */
  checkForm(req: IncomingMessage, token: unknown): void;
  /** Refuses a changing request with a session, unless X-CSRF-Token has its token. @throws CatalogError NOT_AUTHORIZED */
  checkRequest(req: IncomingMessage): void;
  /** Sets the session cookie. */
  signIn(res: ServerResponse, session: { readonly secret: string; readonly expiresAt: string | Date }): void;
  /** Removes the session cookie. */
  signOut(res: ServerResponse): void;
}

/** Conventional name of the form field with the token. */
export const TOKEN_FIELD = '_csrf_token';
const TOKEN_HEADER = 'x-csrf-token';
const SECRET_PREFIX = 'cgs_';
/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

export const isSafe = (req: IncomingMessage): boolean => SAFE.has(req.method ?? '');

export function createSessions({ siteUrl, sign }: SessionOptions): Sessions {
  const secure = siteUrl.startsWith('https:');
  // Browsers accept a cookie with this prefix only from this host over TLS, so no sibling domain can set one.
  const name = (plain: string): string => (secure ? `__Host-${plain}` : plain);
  const session = name('catalog_session');
  const visitor = name('catalog_visitor');
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;

  /** API keys and tokens are not sessions: they are valid in headers, never in a cookie. */
  function secretOf(req: IncomingMessage): string | undefined {
    const secret = cookieOf(req, session);
    return secret?.startsWith(SECRET_PREFIX) ? secret : undefined;
  }

  /** Owner of a token: the session, otherwise the visitor's cookie. */
  function ownerOf(req: IncomingMessage): string | undefined {
    const secret = secretOf(req);
    if (secret !== undefined) return `session ${secret}`;
    const nonce = cookieOf(req, visitor);
    return nonce === undefined ? undefined : `visitor ${nonce}`;
  }

  /** A random nonce makes every token different, so that compressed pages do not leak it (BREACH). */
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
 * Whether the browser reports another site as the origin; a client without these headers is not a current browser. `Sec-Fetch-Site` takes
 * precedence: pages cannot set it, and it stays correct behind a proxy that replaces `Host`. Browsers omit it on plain http, except on
 * localhost; `Origin` then decides.
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
