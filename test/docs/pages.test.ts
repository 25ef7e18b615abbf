/** Runs the commands and operations of documentation pages unchanged, in the order of each page. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf, EXEMPT, faultOf, pages, patternOf, runnable, runsHere } from '../helpers/page-blocks.ts';
import { hasPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { RUN } from './languages.ts';
import { PAGES } from './pages.ts';
import { createScene, type Scene } from './scene.ts';

const found = pages
  .filter((page) => !Object.hasOwn(EXEMPT, page))
  .map((page) => ({
    page,
    blocks: blocksOf(page).filter(runsHere),
  }))
  .filter(({ blocks }) => blocks.length > 0);

describeWith('python3 with venv', hasPython(), 'pages', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene();
  }, INSTALL_TIMEOUT);
  afterAll(() => scene?.end());

  describe.each(found)('$page', ({ page, blocks }) => {
    const set = PAGES[page] ?? {};
    beforeAll(async () => void (await set.before?.(scene)));

    it.each(blocks)('line $line', async (block) => {
      expect(faultOf(block)).toBeNull(); // before anything runs
      const here = Object.entries({ ...(set.replace?.(scene) ?? {}), 'http://localhost:5000': scene.base });
      const toHere = (text: string) => here.reduce((so, [there, mine]) => so.replaceAll(there, mine), text);
      const printed = await RUN[block.language](scene, toHere(runnable(block)), set);
      expect(printed).not.toMatch(/"success": ?false/);
      const [, expected] = Object.entries(set.prints ?? {}).find(([text]) => block.text.includes(text)) ?? [];
      if (expected) expect(printed).toMatch(expected);
      else if (block.output) expect(printed.replace(/\n/g, '')).toMatch(patternOf(toHere(block.output)));
    });
  });
});
