/** Scripts of pages, which add what HTML cannot do. Their URLs have a hash of their text, so clients may cache them permanently. */
import { Router } from 'express';
import { ISLANDS } from '../../../src/generated/islands.ts';
import { hashOf, type Packed, pack, sendPacked } from '../../shared/packed.ts';
import { JAVASCRIPT } from '../files.ts';

export type Island = keyof typeof ISLANDS;

const NAMES = Object.keys(ISLANDS) as Island[];
const PATHS = Object.fromEntries(
  NAMES.map((name) => [name, `/static/site/${name}-${hashOf(ISLANDS[name])}.js`]),
) as Readonly<Record<Island, string>>;

export const scriptPath = (name: Island): string => PATHS[name];

export function islandsRouter(): Router {
  const router = Router({ caseSensitive: true });
  for (const name of NAMES) {
    let packed: Promise<Packed> | undefined;
    router.get(PATHS[name], (req, res, next) => {
      packed ??= pack(JAVASCRIPT, ISLANDS[name]);
      packed.then((it) => sendPacked(req, res, it, 'public, max-age=31536000, immutable')).catch(next);
    });
  }
  return router;
}
