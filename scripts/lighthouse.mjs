#!/usr/bin/env node
/**
 * `npm run lighthouse -- [NAME …]`: audits pages of a catalog with the demo data by Lighthouse, as on a phone. Prints the scores, and the audits that
 * failed. Fails below the goals. Lighthouse is installed to a folder of its own, because it is large.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireChromium, withDemoSite } from './demo-site.mjs';
import { installNpm } from './npm.mjs';

/** The newest version for Node 20. */
const VERSION = '12.8.2';
const GOALS = { performance: 95, accessibility: 100, 'best-practices': 95, seo: 95 };

const names = process.argv.slice(2);
const chromium = requireChromium();
const program = join(await installNpm({ lighthouse: VERSION }), 'node_modules/lighthouse/cli/index.js');
const reports = mkdtempSync(join(tmpdir(), 'catalog-lighthouse-'));
let isBelow = false;
await withDemoSite(async ({ base, fill, fillFindings, pathOf }) => {
  await fill();
  await fillFindings();
  const pages = {
    home: '/',
    datasets: '/dataset',
    search: '/dataset?q=time+place&res_format=CSV',
    dataset: '/dataset/time-zones',
    table: await pathOf('country-names', 0),
    'catalog dashboard': '/dashboards/catalog',
    'quality dashboard': '/dashboards/quality',
    'usage dashboard': '/dashboards/usage',
  };
  console.log(`| page | ${Object.keys(GOALS).join(' | ')} |\n| --- |${' ---: |'.repeat(Object.keys(GOALS).length)}`);
  for (const [name, path] of Object.entries(pages)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const { categories, audits } = await audit(
      base + path,
      join(reports, `${name}.json`),
      name === 'search' ? ['--skip-audits=is-crawlable'] : [],
    );
    const scores = Object.keys(GOALS).map((key) => Math.round(100 * categories[key].score));
    console.log(`| ${name} | ${scores.join(' | ')} |`);
    isBelow ||= Object.values(GOALS).some((goal, index) => scores[index] < goal);
    for (const category of Object.keys(GOALS))
      for (const { id, weight } of categories[category].auditRefs) {
        const { score, title, displayValue } = audits[id];
        if (weight > 0 && score !== null && score < 0.9) console.error(`  ${name}: ${title} ${displayValue ?? ''}`);
      }
  }
});
rmSync(reports, { recursive: true, force: true });
process.exit(isBelow ? 1 : 0);

/** Search engines list `/dataset`, and no searches with words. */
async function audit(url, file, more) {
  const flags = '--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage';
  const words = [program, url, '--quiet', '--output=json', `--output-path=${file}`, `--chrome-flags=${flags}`, ...more];
  const child = spawn(process.execPath, words, {
    env: { ...process.env, CHROME_PATH: chromium },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((done) => child.once('exit', done));
  if (code !== 0) throw new Error(`Lighthouse ended with ${code} for ${url}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}
