/** Content negotiation by the headers Accept and Accept-Encoding. */
import Negotiator from 'negotiator';

/** Parameters of media types, and weights that are not numbers. Negotiator would refuse `application/json; charset=utf-8`. */
const OTHER_PARAMETERS = /;(?!\s*q\s*=\s*[\d.])(?:"[^"]*"?|[^",;])*/gi;

/**
 * The media type for the response. Without the header, the first one offered. Null when the client accepts none of them.
 * Of types with equal weights, the most specific one wins, then the one named first.
 */
export function preferredType<Type extends string>(accept: string | undefined, offered: readonly Type[]): Type | null {
  if (accept === undefined || accept === '*/*') return offered[0] ?? null;
  if (offered.includes(accept as Type)) return accept as Type;
  const types = accept.trim() ? accept.replace(OTHER_PARAMETERS, '') : '*/*';
  return (new Negotiator({ headers: { accept: types } }).mediaType(offered) as Type | undefined) ?? null;
}

/** The content encoding for a body. Null for the unencoded body. Of encodings with equal weights, the first one offered wins. */
export function preferredEncoding<Encoding extends string>(
  header: string | string[] | undefined,
  offered: readonly Encoding[],
): Encoding | null {
  if (header === undefined) return null;
  const rated = [offered, { preferred: offered }] as unknown as [readonly string[]]; // its types lack `preferred`
  const negotiator = new Negotiator({ headers: { 'accept-encoding': String(header) } });
  return (negotiator.encoding(...rated) as Encoding | undefined) ?? null;
}
