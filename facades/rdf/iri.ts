/** Converts user input in URL fields to IRIs valid in every format, or null. Never guesses. Pure. */

/** URL schemes. Excludes prefixed names such as `dct:title`, and text such as `Note: …`. */
const SCHEME =
  /^(?:https?|ftps?|sftp|s3|gs|file|git|ssh|ldaps?|geo|tag|info|doi|hdl|ark|ni|oai|magnet|mailto|tel|urn):/i;
const WITH_HOST = /^(?:https?|ftps?|sftp|s3|gs|git|ssh|ldaps?):/i;
/** Text of several lines is not a URL. */
const CONTROL = /\p{Cc}/u;
const UNSAFE = /[\s"<>\\^`{|}\p{Z}\p{Noncharacter_Code_Point}]/gu;
const MAX_LENGTH = 8_192;

/** An absolute IRI. Percent-encodes spaces and other invalid characters, and changes nothing else. */
export function safeIri(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return null;
  const trimmed = text.trim();
  if (!SCHEME.test(trimmed) || CONTROL.test(trimmed) || !trimmed.isWellFormed()) return null;
  const rest = trimmed.slice(trimmed.indexOf(':') + 1);
  if (rest === '' || (WITH_HOST.test(trimmed) && !/^\/\/[^/?#]/.test(rest))) return null;
  const safe = trimmed.replace(UNSAFE, encodeURIComponent).replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
  return !WITH_HOST.test(safe) || URL.canParse(safe) ? safe : null;
}

/** The mailto IRI of an e-mail address with or without scheme; null when invalid. */
export function mailIri(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const address = text.trim().replace(/^mailto:/i, '');
  return /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"/?#]+$/u.test(address)
    ? safeIri(`mailto:${address.replace(/[?#%&]/g, encodeURIComponent)}`)
    : null;
}
