/** Files of maps: MapLibre GL from its package, and our script. Their URLs name their contents, so clients may cache them permanently. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Router } from 'express';
import { projectRoot } from '../../../../src/kernel/root.ts';
import { hashOf, type Packed, pack, sendPacked } from '../../../shared/packed.ts';
import { CSS, fromPackage, JAVASCRIPT } from '../../files.ts';

const { version } = createRequire(import.meta.url)('maplibre-gl/package.json') as { version: string };
const OWN = readFileSync(join(projectRoot, 'facades/web/islands/map.js'), 'utf8');
const FOLDER = `/static/maplibre-gl/${version}`;

/** Paths of the files. */
export const MAP_FILES = {
  maplibre: `${FOLDER}/maplibre-gl.js`,
  worker: `${FOLDER}/worker.js`,
  style: `${FOLDER}/maplibre-gl.css`,
  script: `/static/site/map-${hashOf(OWN)}.js`,
} as const;

/** The build for policies without inline scripts: its worker is a file of its own. */
const CONTENTS: Readonly<Record<keyof typeof MAP_FILES, readonly [type: string, read: () => string]>> = {
  maplibre: [JAVASCRIPT, () => fromPackage('maplibre-gl/dist/maplibre-gl-csp.js')],
  worker: [JAVASCRIPT, () => fromPackage('maplibre-gl/dist/maplibre-gl-csp-worker.js')],
  style: [CSS, () => fromPackage('maplibre-gl/dist/maplibre-gl.css')],
  script: [JAVASCRIPT, () => OWN],
};

export function mapFilesRouter(): Router {
  const router = Router({ caseSensitive: true });
  for (const [name, path] of Object.entries(MAP_FILES)) {
    let packed: Promise<Packed> | undefined;
    const [type, read] = CONTENTS[name as keyof typeof MAP_FILES];
    router.get(path, (req, res, next) => {
      packed ??= pack(type, read());
      packed.then((it) => sendPacked(req, res, it, 'public, max-age=31536000, immutable')).catch(next);
    });
  }
  return router;
}
