/** Log lines for people: time, level, area, message, and the other fields. pino-pretty would add 13 packages. */

const LEVELS: Readonly<Record<number, readonly [name: string, color: number]>> = {
  10: ['trace', 90],
  20: ['debug', 36],
  30: ['info', 32],
  40: ['warn', 33],
  50: ['error', 31],
  60: ['fatal', 35],
};

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly area?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
  readonly [field: string]: unknown;
}

/** A line of JSON as text. `isColored`: with ANSI colors. */
export function prettyLine(json: string, isColored: boolean): string {
  const { level, time, msg = '', area, err, ...fields } = JSON.parse(json) as Line;
  const [name, color] = LEVELS[level] ?? [String(level), 0];
  const paint = (text: string, code: number) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text);
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(
      ([key, value]) =>
        `${paint(`${printable(key)}=`, 90)}${printable(typeof value === 'string' ? value : JSON.stringify(value))}`,
    );
  const head = [
    paint(new Date(time).toISOString().slice(11, 23), 90),
    paint(name.toUpperCase().padEnd(5), color),
    ...(area ? [`${area}:`] : []),
    printable(msg),
    ...rest,
  ].join(' ');
  const trace = (err?.stack ?? err?.message ?? '').split('\n').filter(Boolean);
  return `${[head, ...trace.map((line) => `    ${printable(line)}`)].join('\n')}\n`;
}

/** Control and invisible characters of texts of callers must not reach a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** JSON escapes only some of them. The line has the same values. */
export const printableJson = (line: string): string =>
  line.replace(UNPRINTABLE, (character) => (character === '\n' ? character : escaped(character)));

/** As JSON escapes UTF-16. */
const escaped = (character: string): string => {
  const short = JSON.stringify(character).slice(1, -1);
  if (short !== character) return short;
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
};
