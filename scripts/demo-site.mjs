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

/** Serves an empty catalog while `work` runs. `fill` writes the demo, `pathOf` returns the path of a resource. */
export async function withDemoSite(work) {
  await prepare();
  const home = mkdtempSync(join(tmpdir(), 'catalog-demo-'));
  process.env.NODE_ENV = 'production';
  process.env.CATALOG_HOME = home;
  process.env.CATALOG__DATA_DIR = join(home, 'data');
  process.env.CATALOG__LOG_LEVEL = 'error';
  const { openCatalog, addUser, fillWithDemo, loadSettings, createLogger } = await programs();
  const settings = loadSettings();
  const catalog = await openCatalog({ settings, log: createLogger(settings) }, { isServer: true });
  try {
    await new Promise((done) => catalog.app.server.listen(0, '127.0.0.1', done));
    const base = `http://127.0.0.1:${catalog.app.server.address().port}`;
    await addUser(catalog, { ...ADMIN, sysadmin: true, email: 'admin@example.org' });
    await work({ base, fill: () => fillWithDemo(catalog), pathOf: (dataset, index) => pathOf(base, dataset, index) });
  } finally {
    await catalog.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The compiled modules that this program uses. */
async function programs() {
  const files = ['cli/catalog', 'cli/user-add', 'cli/demo', 'kernel/config', 'infra/log/log'];
  const modules = await Promise.all(files.map((file) => import(join(root, 'dist/src', `${file}.js`))));
  return Object.assign({}, ...modules);
}

async function pathOf(base, dataset, index) {
  const answer = await fetch(`${base}/api/3/action/package_show?id=${dataset}`);
  const { result } = await answer.json();
  return `/dataset/${dataset}/resource/${result.resources[index].id}`;
}
