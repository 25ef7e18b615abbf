/** The page of a dataset in a browser: its Content-Security-Policy blocks no own content, scripts in data do not run, and links work. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { openPage } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'in a browser', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ 'catalog.site_title': 'Data of Town' });
    const organization = await world.make.organization({ name: 'town', title: 'Town & Country' });
    const group = await world.make.group({ name: 'water', title: 'Water' });
    await world.make.dataset({
      name: 'rivers',
      title: 'Levels of rivers',
      notes: 'Measured **every hour**.\n\n- Kew\n- Ōta, 東京\n\n<script>document.title = "run"</script>',
      ownerOrganization: organization.id,
      groups: [{ id: group.id }],
      tags: [{ name: 'water' }, { name: 'open data' }],
      extras: [{ key: 'script', value: '</script><script>document.title = "run"</script>' }],
      licenseId: 'cc-by',
      author: 'Ann Author',
      url: 'http://town.example/rivers',
      resources: [
        {
          url: 'http://town.example/levels.csv',
          name: 'Levels',
          format: 'CSV',
          size: 1_536,
          description: 'One row an hour.',
        },
        { url: 'http://town.example/stations.geojson', name: 'Stations', format: 'GeoJSON' },
      ],
    });
  });
  afterAll(() => world.end());

  it('shows the dataset, and links to its organization', async () => {
    const page = await openPage(chromium!, `${world.base}/dataset/rivers`);
    try {
      expect(await page.evaluate('document.title')).toBe('Levels of rivers – Data of Town');
      expect(await page.evaluate('document.querySelectorAll("link[rel=alternate][type]").length')).toBe(5);
      expect(await page.evaluate('document.querySelector("#main").innerText')).toContain('1.5 KiB');
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      if (process.env.PICTURES)
        writeFileSync(`${process.env.PICTURES}/dataset.png`, await page.tab.screenshot({ fullPage: true }));
      await page.tab.click('text=Town & Country');
      await page.until('document.title.startsWith("Town & Country")');
      expect(await page.evaluate('document.querySelector("main h3 a").innerText')).toBe('Levels of rivers');
      expect(page.problems).toEqual([]);
      if (process.env.PICTURES) writeFileSync(`${process.env.PICTURES}/organization.png`, await page.picture());
    } finally {
      await page.close();
    }
  });

  it('fits the width of a phone, also with a very long word', async () => {
    const long = 'w'.repeat(180);
    const { name } = await world.make.dataset({
      name: 'wide',
      title: `Wide ${long}`,
      notes: `| a | b |\n| --- | --- |\n| ${long} | ${long} |\n\n    ${long}\n\n${long}`,
      url: `https://town.example/${long}`,
      author: long,
      tags: [{ name: long.slice(0, 100) }],
      extras: [{ key: long.slice(0, 100), value: long }],
      resources: [{ url: `https://town.example/${long}.csv`, format: long.slice(0, 60), description: long }],
    });
    const page = await openPage(chromium!, `${world.base}/dataset/${name}`, { viewport: { width: 390, height: 844 } });
    try {
      if (process.env.PICTURES)
        writeFileSync(`${process.env.PICTURES}/wide.png`, await page.tab.screenshot({ fullPage: true }));
      const wider = `[...document.querySelectorAll('main *:not(.text *)')].filter((one) => one.getBoundingClientRect().right > innerWidth)`;
      expect(await page.evaluate(`${wider}.map(({ outerHTML }) => outerHTML.slice(0, 80))`)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(page.problems).toEqual([]);
    } finally {
      await page.close();
    }
  });
});
