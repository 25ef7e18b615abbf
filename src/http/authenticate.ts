/** Authentication: makes the call of a request from its key, token, session or cookie, and charges its caller. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressReader } from '../../facades/shared/address.ts';
import { isSafe, type Sessions } from '../../facades/shared/session.ts';
import { identify } from '../accounts/identity/identity.service.ts';
import { createValidityChecks } from '../accounts/identity/validity.ts';
import { asRefusal } from '../infra/postgres/failures.ts';
import { type Actor, anonymous, type Call, callerOf, logOf, withRequest } from '../kernel/call.ts';
import { addCost, noteUser, type Origin } from '../kernel/request.ts';
import type { Settings } from '../kernel/settings.ts';
import type { Limiter } from '../rate/limiter.ts';

export interface CallersOptions {
  readonly settings: Settings;
  readonly callAs: (actor: Actor, origin?: Origin) => Call;
  readonly sessions: Sessions;
  /** Null without rate limits. */
  readonly limiter: Limiter | null;
}

export interface Callers {
  /** Headers that may hold a key, in the order of ruling 4, in lower case. */
  readonly keyHeaders: readonly string[];
  /**
   * The request's call: authenticated by the key, token or session in a header, else by the cookie. A request that
   * changes something by cookie must prove that it comes from the site's own pages. Pages check the token of a form
   * themselves and then pass `formChecked`. @throws CatalogError UNAVAILABLE while the database is down.
   */
  callFor(req: IncomingMessage, anonymously?: boolean, formChecked?: boolean): Call | Promise<Call>;
  /** The same for /graphql, where a cookie counts only if `cookies` is true. */
  graphqlCallFor(req: IncomingMessage, cookies: boolean): Call | Promise<Call>;
  /** The network to which a request counts before it is authenticated. */
  networkOf(req: IncomingMessage): string;
  /** Must be called at the start of each request, to set its rate-limit headers. */
  begins(req: IncomingMessage, res: ServerResponse): void;
}

export function createCallers({ settings, callAs, sessions, limiter }: CallersOptions): Callers {
  const keyHeaders = [settings.apikey_header_name.toLowerCase(), 'x-ckan-api-key', 'authorization'];

  const isLogged = settings['catalog.log_requests'];
  const addressOf = addressReader(settings['catalog.trusted_proxies']);
  const validityOf = createValidityChecks(() => callAs(anonymous('')));
  /** The response of each request, for rate-limit headers. */
  const answers = new WeakMap<IncomingMessage, ServerResponse>();
  /** The call of a request whose caller pays for its operations. */
  const charged = (req: IncomingMessage, call: Call): Call => {
    const res = answers.get(req);
    const limited = limiter?.chargeOf(call.actor, (name, value) => !res?.headersSent && res?.setHeader(name, value));
    noteUser(req, call.actor.userId);
    const charge = isLogged ? noting(req, limited) : limited;
    return charge ? withRequest(call, { charge }) : call;
  };

  function callFor(req: IncomingMessage, anonymously = false, formChecked = false): Call | Promise<Call> {
    const call = callAs(anonymous(addressOf(req)), req);
    if (anonymously) return charged(req, call);
    const key = keyOf(req, keyHeaders);
    const secret = key ?? sessions.secretOf(req);
    if (secret === undefined) return charged(req, call);
    return identify(call, secret).then(
      (actor) => {
        if (key === undefined && actor.userId !== null && !formChecked && !isSafe(req)) sessions.checkRequest(req);
        return charged(req, {
          ...withRequest(call, actor.userId === null ? {} : { isCredentialValid: validityOf(secret) }),
          actor,
        });
      },
      (failure) => {
        throw asRefusal(failure, logOf(call));
      },
    );
  }

  return {
    keyHeaders,
    callFor,
    networkOf: (req) => callerOf(anonymous(addressOf(req))),
    graphqlCallFor: (req, cookies) => callFor(req, !cookies && keyOf(req, keyHeaders) === undefined),
    begins: (req, res) => {
      if (limiter) answers.set(req, res);
    },
  };
}

/** Notes the cost of a request for its log line, and charges the caller. */
const noting = (req: Origin, charge: ((cost: number) => void) | undefined) => (cost: number) => {
  addCost(req, cost);
  charge?.(cost);
};

/** The API key of a request: the first matching header, in the order of ruling 4, without `Bearer`. */
function keyOf(req: IncomingMessage, headers: readonly string[]): string | undefined {
  for (const header of headers) {
    const value = req.headers[header];
    if (typeof value === 'string' && value.trim() !== '') return value.trim().replace(/^Bearer\s+/i, '');
  }
  return undefined;
}
