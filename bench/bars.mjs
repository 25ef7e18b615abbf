/** Draws CPU per request as one bar for each request on a logarithmic axis, the dearest first. */
const [WIDTH, ROW, LEFT, ROOM] = [760, 14, 300, 400];

export function bars({ rows }) {
  const shown = rows
    .map(({ name, nodeMs, pgMs }) => ({ name, value: nodeMs + pgMs }))
    .sort((a, b) => b.value - a.value);
  const least = 10 ** Math.floor(Math.log10(shown.at(-1).value));
  const most = 10 ** Math.ceil(Math.log10(shown[0].value));
  const x = (value) => (ROOM * Math.log(value / least)) / Math.log(most / least);
  const text = (left, top, content, extra = '') => `<text x="${left.toFixed(1)}" y="${top}" ${extra}>${content}</text>`;
  const bar = ({ name, value }, i) => {
    const top = 34 + i * ROW;
    return [
      text(LEFT - 6, top + 10, name, 'text-anchor="end"'),
      `<rect x="${LEFT}" y="${top + 1}" width="${x(value).toFixed(1)}" height="10" fill="#1668b8"/>`,
      text(LEFT + x(value) + 4, top + 10, Number(value.toPrecision(3)), 'fill="#777"'),
    ];
  };
  const title = 'CPU ms per request of all server processes, logarithmic';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${44 + shown.length * ROW}" font-family="sans-serif" font-size="10" fill="#333">
<title>${title}</title>
<rect width="100%" height="100%" fill="#fff"/>
${[text(8, 20, title, 'font-size="13"'), ...shown.flatMap(bar)].join('\n')}
</svg>
`;
}
