/** Calls actions of another catalog's Action API. */
import { isObject } from '../../kernel/json.ts';
import { type JsonOptions, SourceError, type Web } from '../web.ts';

/** @throws SourceError */
export type Ask = (
  action: string,
  params: Readonly<Record<string, string | number | boolean>>,
  how?: JsonOptions,
) => Promise<unknown>;

/** HTTP statuses, or error types mapped to them, of objects that are missing or not readable for us. */
const GONE = new Set([403, 404, 410]);
const STATUS_OF: Readonly<Record<string, number>> = { 'Not Found Error': 404, 'Authorization Error': 403 };

/** Only the response envelope counts: a proxy's error page is not an answer of the catalog. */
export function createAsk(web: Web, base: string): Ask {
  return async (action, params, how) => {
    const query = new URLSearchParams(Object.entries(params).map(([key, value]) => [key, String(value)]));
    const { status, value } = await web.json(`${base}/api/3/action/${action}?${query}`, how);
    if (isObject(value) && value.success === true && 'result' in value) return value.result;
    const error = isObject(value) && isObject(value.error) ? value.error : null;
    if (!error) throw new SourceError(`${action} at ${base} responded with ${status}, without an Action API envelope`);
    const type = String(error.__type ?? '');
    const said = typeof error.message === 'string' ? error.message : JSON.stringify(error);
    throw new SourceError(
      `${action} at ${base} was refused: ${type} ${said}`.slice(0, 500),
      STATUS_OF[type] ?? (GONE.has(status) ? 400 : status),
    );
  };
}

/** Null for a refusal that means missing or not readable for us. @throws any other error */
export function goneAsNull(thrown: unknown): null {
  if (thrown instanceof SourceError && thrown.status !== null && GONE.has(thrown.status)) return null;
  throw thrown;
}
