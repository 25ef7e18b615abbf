/** Draws a run beside PostGraphile: a pair of bars per request with a ratio. PostGraphile's bars have equal length. */
const [WIDTH, ROW, LEFT, ROOM] = [760, 52, 170, 430];

export function beside(run) {
  const rows = run.rows.filter(({ ratio }) => ratio);
  const unit = ROOM / Math.max(3, ...rows.map(({ ratio }) => ratio));
  const bar = (top, length, color) =>
    `<rect x="${LEFT}" y="${top}" width="${length.toFixed(1)}" height="16" fill="${color}"/>`;
  const text = (x, y, content, extra = '') => `<text x="${x.toFixed(1)}" y="${y}" ${extra}>${content}</text>`;
  const pairs = rows.flatMap(({ name, ratio, goal }, i) => {
    const top = 40 + i * ROW;
    return [
      text(LEFT - 8, top + 21, name, 'text-anchor="end"'),
      bar(top, ratio * unit, '#1668b8'),
      text(LEFT + ratio * unit + 6, top + 12, `${ratio.toFixed(2)} (goal ${goal.text.replace(' PostGraphile', '')})`),
      bar(top + 18, unit, '#999'),
      text(LEFT + unit + 6, top + 30, '1 PostGraphile', 'fill="#777"'),
    ];
  });
  const title = 'Requests per CPU second of all server processes, PostGraphile = 1';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${50 + rows.length * ROW}" font-family="sans-serif" font-size="11" fill="#333">
<title>${title}</title>
<rect width="100%" height="100%" fill="#fff"/>
${[text(8, 20, title, 'font-size="13"'), ...pairs].join('\n')}
</svg>
`;
}
