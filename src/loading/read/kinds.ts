/**
 * Detects the kind of a text field's value from its bytes. Applies the contract's type guessing (fields.rules.ts) to every value of a
 * column. Pure.
 */

/** Kinds of values. A column gets the narrowest kind that fits all of its values. */
export const Kind = {
  none: 0,
  int: 1,
  numeric: 2,
  timestamp: 3,
  zoned: 4,
  bool: 5,
  json: 6,
  text: 7,
  fixed: 8,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** PostgreSQL's type for a kind. A column without values becomes text. */
export const TYPES: Readonly<Record<Kind, string>> = {
  [Kind.none]: 'text',
  [Kind.int]: 'int4',
  [Kind.numeric]: 'numeric',
  [Kind.timestamp]: 'timestamp',
  [Kind.zoned]: 'timestamptz',
  [Kind.bool]: 'bool',
  [Kind.json]: 'json',
  [Kind.text]: 'text',
  [Kind.fixed]: 'text',
};

/** The narrowest kind that fits values of both kinds. */
export function joinKinds(a: Kind, b: Kind): Kind {
  if (a === b || b === Kind.none) return a;
  if (a === Kind.none) return b;
  return a + b === Kind.int + Kind.numeric ? Kind.numeric : Kind.text;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;

/** Kind of the non-empty bytes from `start` to `end`. */
export function kindOf(bytes: Uint8Array, start: number, end: number): Kind {
  const first = bytes[start]!;
  if (isDigit(first) || first === 45 || first === 43 || first === 46) {
    const number = numberKind(bytes, start, end);
    if (number !== Kind.text || !isDigit(first)) return number;
    return timeKind(bytes, start, end);
  }
  if (end - start <= 5 && BOOLEANS.has(asciiOf(bytes, start, end))) return Kind.bool;
  return Kind.text;
}

const BOOLEANS: ReadonlySet<string> = new Set(['true', 'false', 'True', 'False', 'TRUE', 'FALSE']);
const asciiOf = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

/** Maximum digits of a number. PostgreSQL accepts more, but longer ones are usually codes. */
const MAX_DIGITS = 300;

/** Digits after leading zeros are a code, so the kind is text. */
function numberKind(bytes: Uint8Array, start: number, end: number): Kind {
  if (end - start > MAX_DIGITS) return Kind.text;
  let at = bytes[start] === 45 || bytes[start] === 43 ? start + 1 : start;
  const whole = at;
  while (at < end && isDigit(bytes[at])) at += 1;
  const digits = at - whole;
  if (digits > 1 && bytes[whole] === 48) return Kind.text;
  if (at === end) return digits === 0 ? Kind.text : digits < 10 || fitsInt(bytes, start, end) ? Kind.int : Kind.numeric;
  let decimals = 0;
  if (bytes[at] === 46) {
    at += 1;
    while (at < end && isDigit(bytes[at])) {
      at += 1;
      decimals += 1;
    }
    if (decimals === 0) return Kind.text;
  }
  if (digits + decimals === 0) return Kind.text;
  if (at < end && (bytes[at] === 101 || bytes[at] === 69)) {
    at += 1;
    if (bytes[at] === 45 || bytes[at] === 43) at += 1;
    const power = at;
    while (at < end && isDigit(bytes[at])) at += 1;
    if (at === power || at - power > 3) return Kind.text;
  }
  return at === end ? Kind.numeric : Kind.text;
}

const fitsInt = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start <= 11 && Math.abs(Number(asciiOf(bytes, start, end))) < 2 ** 31;

/** Longest accepted form: 2001-02-03T04:05:06.123456+01:00. */
const TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[ T](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

/** ISO 8601 dates and timestamps. Those with a time zone are a separate kind, because a plain timestamp would lose the zone. */
function timeKind(bytes: Uint8Array, start: number, end: number): Kind {
  const length = end - start;
  if (length < 10 || length > 32 || bytes[start + 4] !== 45 || bytes[start + 7] !== 45) return Kind.text;
  const match = TIME.exec(asciiOf(bytes, start, end));
  if (!match) return Kind.text;
  const [, year, month, day, zone] = match;
  if (Number(year) === 0 || Number(day) > daysIn(Number(year), Number(month))) return Kind.text;
  return zone === undefined ? Kind.timestamp : Kind.zoned;
}

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31;
