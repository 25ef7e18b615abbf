/** Whether a soak passed: its minutes after the warm-up are compared with each other. */

/** Minutes at the start that are not compared: caches fill, and code is compiled. */
export const WARM_UP = 5;
/** Largest growth of memory, as a factor. */
const MEMORY = 1.1;
/** Largest growth of latency, as a factor, and ms that are ignored. */
const LATENCY = { factor: 1.25, ignored: 2 };

/** Faults in words; empty for a passed run. `minutes` are rows of measure.mjs. */
export function verdict(minutes) {
  const compared = minutes.filter(({ minute }) => minute > WARM_UP);
  if (compared.length < 3)
    return [`Only ${compared.length} minutes after the first ${WARM_UP}: at least 3 are needed.`];
  const size = Math.max(1, Math.floor(compared.length / 3));
  const [first, last] = [compared.slice(0, size), compared.slice(-size)];
  const faults = [];
  for (const [what, of] of Object.entries({
    'live memory': ({ live }) => live,
    'resident memory': ({ resident }) => resident,
  })) {
    const [before, after] = [median(first.map(of)), median(last.map(of))];
    if (after > before * MEMORY) faults.push(`The ${what} grew from ${before.toFixed(1)} to ${after.toFixed(1)} MiB.`);
  }
  for (const share of ['p50', 'p95']) {
    const [before, after] = [first, last].map((rows) => median(rows.map((row) => row[share])));
    if (after > before * LATENCY.factor + LATENCY.ignored)
      faults.push(`The latency ${share} grew from ${before.toFixed(1)} to ${after.toFixed(1)} ms.`);
  }
  const count = (of) => minutes.reduce((sum, row) => sum + of(row), 0);
  const [failed, refused, lost] = [count((row) => row.failed), count((row) => row.refused), count((row) => row.lost)];
  if (failed > 0) faults.push(`${failed} responses had a status of 500 or more.`);
  if (refused > 0) faults.push(`${refused} requests were refused (status 400 to 499).`);
  if (lost > 0) faults.push(`${lost} requests got no response.`);
  return faults;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
