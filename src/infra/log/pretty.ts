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
        `${paint(`${key}=`, 90)}${typeof value === 'string' ? printable(value) : JSON.stringify(value)}`,
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

/** Control characters of texts of callers must not reach the terminal. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    JSON.stringify(character)
      .slice(1, -1)
      .replace(/^[^\\]$/, '?'),
  );
