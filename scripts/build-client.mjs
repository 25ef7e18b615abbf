/** Builds clients/typescript for `npm pack`: ES modules with declarations in dist/, and a copy of the license. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { generate } from './generate.mjs';
import { root } from './stamp.mjs';

const folder = join(root, 'clients/typescript');
const dist = join(folder, 'dist');

await generate(); // src/operations.ts
rmSync(dist, { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
// The compiler leaves `.ts` in the imports of declarations, where only newer versions of TypeScript accept it.
for (const name of readdirSync(dist).filter((file) => file.endsWith('.d.ts'))) {
  const text = readFileSync(join(dist, name), 'utf8');
  writeFileSync(join(dist, name), text.replace(/(from '\.\/[\w-]+)\.ts';/g, "$1.js';"));
}
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
