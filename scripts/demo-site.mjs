/** A catalog with the demo data in a temporary folder, served on a free port, for programs that look at its pages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

/** Name and password of its administrator. */
export const ADMIN = { name: 'admin', password: 'correct horse battery' };

/** Path of a browser. Ends the process if there is none. */
export function requireChromium() {
  const path = ensureChromium();
  if (path) return path;
  console.error('No Chromium found. Install the package "chromium", or set CHROMIUM_PATH.');
  process.exit(1);
}

/** Serves an empty catalog while `work` runs. `fill` writes the demo. `fillFindings` adds scores, uses and
 * checked links. `pathOf` and `revisionOf` return paths: of a resource, and of a dataset's last revision. */
export async function withDemoSite(work) {
  await prepare();
  const home = mkdtempSync(join(tmpdir(), 'catalog-demo-'));
  process.env.NODE_ENV = 'production';
  process.env.CATALOG_HOME = home;
  process.env.CATALOG__DATA_DIR = join(home, 'data');
  process.env.CATALOG__LOG_LEVEL = 'error';
  const { openCatalog, operator, addUser, fillWithDemo, usageImport, loadSettings, createLogger } = await programs();
  const settings = loadSettings();
  const catalog = await openCatalog({ settings, log: createLogger(settings) }, { isServer: true });
  try {
    await new Promise((done) => catalog.app.server.listen(0, '127.0.0.1', done));
    const base = `http://127.0.0.1:${catalog.app.server.address().port}`;
    await addUser(catalog, { ...ADMIN, sysadmin: true, email: 'admin@example.org' });
    await work({
      base,
      fill: () => fillWithDemo(catalog),
      fillFindings: () => fillFindings(catalog, (lines) => usageImport(() => catalog.app.callAs(operator), lines)),
      pathOf: async (name, index) => `/dataset/${name}/resource/${(await dataset(base, name)).resources[index].id}`,
      revisionOf: async (name) => `/revision/${(await dataset(base, name)).revision_id}`,
    });
  } finally {
    await catalog.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The compiled modules that this program uses. */
async function programs() {
  const files = ['cli/catalog', 'cli/user-add', 'cli/demo', 'usage/import.service', 'kernel/config', 'infra/log/log'];
  const modules = await Promise.all(files.map((file) => import(join(root, 'dist/src', `${file}.js`))));
  return Object.assign({}, ...modules);
}

/** Scores, a broken and a moved link, and four weeks of views and downloads, as on a site that has run for a while. */
async function fillFindings({ app, database: { db } }, importUses) {
  while ((await app.score()) > 0);
  const resources = await db.resource.findMany({ orderBy: [{ datasetId: 'asc' }, { position: 'asc' }] });
  const day = 86_400_000;
  const checked = {
    checkedAt: new Date(),
    nextAt: new Date(Date.now() + 7 * day),
    since: new Date(Date.now() - 9 * day),
  };
  const broken = { verdict: 'broken', reason: 'not_found', httpStatus: 404 };
  const moved = { verdict: 'moved', reason: 'moved', finalUrl: 'https://data.example/a-new-address/file.csv' };
  // The files of the demo are uploaded, and so are not checked by the server.
  for (const [at, { id: resourceId, url }] of resources.entries()) {
    const found = { ...checked, ...(at % 5 === 0 ? broken : at % 5 === 1 ? moved : { verdict: 'ok' }) };
    await db.resourceLink.upsert({ where: { resourceId }, create: { resourceId, url, ...found }, update: found });
  }
  const datasets = await db.dataset.findMany({ select: { id: true }, orderBy: { name: 'asc' } });
  const lines = datasets.flatMap(({ id }, at) =>
    Array.from({ length: 28 }, (_, ago) => {
      const date = new Date(Date.now() - ago * day).toISOString().slice(0, 10);
      return `/dataset/x,${id},page,${1 + ((at * 7 + ago * 3) % 19)},${date}`;
    }),
  );
  await importUses(['url,package_id,tracking_type,count,tracking_date', ...lines]);
}

async function dataset(base, name) {
  const answer = await fetch(`${base}/api/3/action/package_show?id=${name}`);
  return (await answer.json()).result;
}
