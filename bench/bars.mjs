/** Draws a comparison: CPU per request as one bar for each request, the dearest first, with a mark at the older state's value. */
const [WIDTH, ROW, LEFT, ROOM] = [760, 14, 300, 400];

export function bars({ rows }) {
  const shown = rows
    .map(({ name, nodeMs, pgMs, olderNodeMs, olderPgMs }) => ({
      name,
      value: nodeMs + pgMs,
      older: olderNodeMs + olderPgMs,
    }))
    .sort((a, b) => b.value - a.value);
  const least = 10 ** Math.floor(Math.log10(Math.min(...shown.flatMap(({ value, older }) => [value, older]))));
  const most = 10 ** Math.ceil(Math.log10(shown[0].value));
  const x = (value) => (ROOM * Math.log(value / least)) / Math.log(most / least);
  const text = (left, top, content, extra = '') => `<text x="${left.toFixed(1)}" y="${top}" ${extra}>${content}</text>`;
  const bar = ({ name, value, older }, i) => {
    const top = 34 + i * ROW;
    return [
      text(LEFT - 6, top + 10, name, 'text-anchor="end"'),
      `<rect x="${LEFT}" y="${top + 1}" width="${x(value).toFixed(1)}" height="10" fill="#1668b8"/>`,
      `<path d="M${(LEFT + x(older)).toFixed(1)} ${top}v12" stroke="#b2531b" stroke-width="2"/>`,
      text(LEFT + Math.max(x(value), x(older)) + 4, top + 10, Number(value.toPrecision(3)), 'fill="#777"'),
    ];
  };
  const title = 'CPU ms per request of all server processes, logarithmic; the mark is the older state';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${44 + shown.length * ROW}" font-family="sans-serif" font-size="10" fill="#333">
<title>${title}</title>
<rect width="100%" height="100%" fill="#fff"/>
${[text(8, 20, title, 'font-size="13"'), ...shown.flatMap(bar)].join('\n')}
</svg>
`;
}
