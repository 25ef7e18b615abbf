/** Reads pages of metrics. */

/** Values of a page by metric name with labels, unchanged. @throws Error for a line that is not a sample */
export function samplesOf(page: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of page.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name, value] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a sample: ${line}`);
    if (samples.has(name)) throw new Error(`twice: ${name}`);
    samples.set(name, Number(value));
  }
  return samples;
}

/** The samples of a metric: the values of its labels, joined, and the number. */
export function valuesOf(page: string, metric: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, value] of samplesOf(page)) {
    const [name, labels = ''] = key.split('{') as [string, string?];
    if (name === metric) found[[...labels.matchAll(/="((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join(' ')] = value;
  }
  return found;
}

/** The sums of samples of several processes. */
export function summed(...all: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const values of all) for (const [key, value] of Object.entries(values)) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}
