/** Runs one action call: returns status, ETag and body in the envelope. Independent of HTTP objects and of individual actions. */
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError, invalid } from '../../src/kernel/errors.ts';
import { type Body, toJsonBody } from '../../src/kernel/json.ts';
import type { Origin } from '../../src/kernel/request.ts';
import { checkText } from '../../src/kernel/text.ts';
import type { SearchUse, Use } from '../../src/kernel/usage.ts';
import { wireName } from '../../src/records/form/names.ts';
import type { BodyLimits } from '../shared/bodies.ts';
import { bytesOf, entityTag, SHORT } from '../shared/http.ts';
import { type Action, looksAtVersions, type Raw, type Special, type Style } from './define.ts';
import { toWireError, type WireError } from './errors.ts';
import { findAction } from './help.ts';
import { readParams } from './params.ts';

export interface Answer {
  readonly status: number;
  /** The whole body as JSON text, or as bytes if it, or some of it, is cached as bytes. */
  readonly body: Body;
  /** ETag of an answer with one object: its version, for If-Match, and a hash of the body. Null for other answers. */
  readonly etag: string | null;
  readonly success: boolean;
  /** Whether the action, or one of the given parameters, is deprecated (ruling 16). */
  readonly deprecated: boolean;
  /** The object that was read, or the search, and the call that read it. Null for other actions. */
  readonly used?: { readonly call: Call; readonly use: Use | SearchUse | null };
}

export interface AnswerOptions {
  readonly actions: Readonly<Record<string, Action | Special>>;
  readonly run: RunOperation;
  readonly siteUrl: string;
  /** catalog.action_api.status (ruling 1). */
  readonly statuses: 'contract' | 'http';
  readonly style: Style;
  /** Limits on the size of a request. */
  readonly limits: BodyLimits;
  /** Called for defects. Answers stay masked. */
  readonly onDefect: (thrown: unknown, action: string, origin: Origin | undefined) => void;
}

/** A bare JSON string as body, for unreadable requests and unknown actions (ruling 1: 400 in both profiles). */
export const badRequest = (why: string): Answer => ({
  status: 400,
  body: JSON.stringify(`Bad request - ${why}`),
  etag: null,
  success: false,
  deprecated: false,
});

/** An exception to the contract's statuses: older clients do not expect it. It occurs only on sites with a rate limit. */
const TOO_MANY = 429;

const deprecatedNames = new WeakMap<object, string[]>();

function isDeprecated(row: Action | Special, raw: Raw): boolean {
  let names = deprecatedNames.get(row);
  if (!names) {
    names = Object.keys(row.params).filter((name) => row.params[name].deprecated);
    deprecatedNames.set(row, names);
  }
  return row.deprecated !== undefined || names.some((name) => raw[name] !== undefined);
}

/** For problems from parameter readers, which already use the parameters' names. */
const asNamed = (name: string): string => name;

/** The error, with its problems under the names of the action's parameters. */
function onKeys(row: Action | Special, raw: Raw, thrown: CatalogError): CatalogError {
  if (!('problems' in row) || !row.problems || thrown.problems.length === 0) return thrown;
  return new CatalogError(thrown.kind, thrown.message, row.problems(thrown.problems, raw));
}

type Bodied = Pick<Answer, 'body' | 'etag'>;

function bodied(help: string, result: unknown, version: number | null): Bodied {
  const { body, tagged } = toJsonBody(`{${help},"success":true,"result":`, result, '}');
  return { body, etag: version === null ? null : entityTag(version, tagged()) };
}

/** Maximum characters of a key that is stored. */
const MAX_KEY = 500;

/** Makes the body of data that may be cached once, as bytes. `key`: all that the body depends on besides. */
function createBodies(): (data: object, key: string, make: () => Bodied) => Bodied {
  /** Data → its last key and body; null until the data is returned again. */
  const bodies = new WeakMap<object, { readonly key: string; readonly made: Bodied | null }>();
  return (data, key, make) => {
    if (key.length > MAX_KEY) return make();
    const known = bodies.get(data);
    if (known?.key !== key) {
      bodies.set(data, { key, made: null });
      return make();
    }
    if (known.made) return known.made;
    const { body, etag } = make();
    const made = { body: typeof body === 'string' && body.length > SHORT ? bytesOf(body) : body, etag };
    bodies.set(data, { key, made });
    return made;
  };
}

/** Caches the envelope's `help` pair, which is equal for all answers of an action under one name. */
function createHelps(siteUrl: string): (name: string, row: Action | Special) => string {
  const helps = new Map<string, string>();
  return (name, row) => {
    let help = helps.get(name);
    if (help === undefined)
      helps.set(
        name,
        (help = `"help":${JSON.stringify(`${row.summary} ${siteUrl}/api/3/action/help_show?name=${name}`)}`),
      );
    return help;
  };
}

const DEFECT: WireError = {
  status: 500,
  error: { message: 'Internal server error. The error was logged.', __type: 'Internal Server Error' },
};

/** Answers calls of the actions in a table. `answer` never throws. */
export function createAnswer({ actions, run, siteUrl, statuses, style, limits, onDefect }: AnswerOptions) {
  const find = (name: string): Action | Special | null => findAction(actions, name);

  const helpOf = createHelps(siteUrl);
  const bodyOnce = createBodies();

  async function answer(
    name: string,
    row: Action | Special,
    raw: Raw,
    call: Call,
    expectedVersion: number | null = null,
    query: Raw | null = null,
  ): Promise<Answer> {
    const help = helpOf(name, row);
    const deprecated = isDeprecated(row, raw);
    let isRead = false;
    try {
      // Before a reader serializes it, because JSON.stringify supports less nesting than JSON.parse.
      checkText(raw, row.records ? limits.json_records : limits.json_values);
      const params = readParams(row.params, raw, row.files);
      isRead = true;
      if ('handle' in row) {
        const { body } = bodied(help, await row.handle(params, raw, { run, call }), null);
        return { status: 200, body, etag: null, success: true, deprecated, used: { call, use: null } };
      }
      const data = await operate(row, params, raw, call, expectedVersion);
      const make = () => bodied(help, row.result(data, params, raw, query), row.version?.(data) ?? null);
      const { body, etag } = row.isCached ? bodyOnce(data, `${name} ${JSON.stringify(params)}`, make) : make();
      const use = row.use?.(data, params) ?? null;
      return { status: 200, body, etag, success: true, deprecated, used: { call, use } };
    } catch (thrown) {
      const keyed = thrown instanceof CatalogError ? onKeys(row, raw, thrown) : thrown;
      return { ...refuse(name, row, keyed, isRead ? wireName : asNamed, call.request.origin), deprecated };
    }
  }

  function failed(help: string, { status, error }: WireError): Answer {
    const body = `{${help},"success":false,"error":${JSON.stringify(error)}}`;
    return {
      status: statuses === 'contract' && status < 500 && status !== TOO_MANY ? 200 : status,
      body,
      etag: null,
      success: false,
      deprecated: false,
    };
  }

  /** The answer to an error, including one thrown before the parameters are read. `keyOf` converts field names to the action's. */
  const refuse = (name: string, row: Action | Special, thrown: unknown, keyOf = wireName, origin?: Origin): Answer => {
    if (thrown instanceof CatalogError) return failed(helpOf(name, row), toWireError(thrown, keyOf));
    onDefect(thrown, name, origin);
    return failed(helpOf(name, row), DEFECT);
  };

  async function operate(
    row: Action,
    params: Record<string, unknown>,
    raw: Raw,
    call: Call,
    expectedVersion: number | null,
  ) {
    if (expectedVersion !== null && row.kind === 'write' && !looksAtVersions(row)) {
      throw invalid([{ path: [], message: 'If-Match: this action does not support versions; omit the header' }]);
    }
    const variables = row.variables(params, raw, expectedVersion);
    return run(
      (params.include_tracking === true ? row.trackingDocument : undefined) ?? row.document,
      row.preset ? { ...variables, ...row.preset(style, raw, variables) } : variables,
      call,
      row.isCached,
    );
  }

  return { find, answer, refuse };
}
