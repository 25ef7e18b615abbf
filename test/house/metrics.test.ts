/** docs/monitor.md equals the declarations of metrics, row by row, and alerts name existing metrics. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectRoot } from '../../src/kernel/root.ts';
import { type Definition, METRICS } from '../../src/monitor/definitions.ts';

const page = readFileSync(join(projectRoot, 'docs/monitor.md'), 'utf8');

const rowOf = ([name, { type, labels, help, isSite }]: [string, Definition]): string =>
  `| \`${name}\` | ${type}${isSite ? ', site' : ''} | ${labels.map((label) => `\`${label}\``).join(', ') || 'none'} | ${help} |`;

it('lists every metric as declared, and no others', () => {
  const written = page.split('\n').filter((line) => line.startsWith('| `catalog_'));
  expect(written).toEqual(Object.entries(METRICS).map(rowOf));
});

it('uses existing metrics and labels in alerts and queries', () => {
  const rules = parse(readFileSync(join(projectRoot, 'deploy/prometheus/alerts.yml'), 'utf8'));
  const alerts: string[] = rules.groups[0].rules.map(({ expr }: { expr: string }) => expr);
  expect(alerts.length).toBeGreaterThan(8);
  const queries = [...page.matchAll(/^\| [^`|]+ \| `([^`]*catalog_[^`]*)` \|$/gm)].map(([, query]) => query!);
  expect(queries.length).toBeGreaterThan(3);
  for (const query of [...alerts, ...queries])
    for (const [, name, , filter = ''] of query.matchAll(
      /\b(catalog_[a-z_]+?)(_bucket)?(?:\{([^}]*)\})?(?=[\s)[]|$)/g,
    )) {
      const definition = METRICS[name!];
      expect([query, name, definition !== undefined]).toEqual([query, name, true]);
      for (const [, label] of filter.matchAll(/(\w+)[!=]/g)) expect(definition!.labels).toContain(label);
    }
});

it('names metrics as Prometheus recommends', () => {
  for (const [name, { type, labels }] of Object.entries(METRICS)) {
    expect(name).toMatch(/^catalog_[a-z]+(_[a-z]+)*$/);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
  }
});
