/** Tests of search in real metadata for any engine: results and counts equal those of the sample file. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { datasetCreate } from '../../src/catalog/dataset/write/write.service.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { searchCheck } from '../../src/search/index/index.service.ts';
import { type Dataset, embedded, expectedDatasets, readSample } from '../compat/sample.ts';
import type { World } from '../helpers/world.ts';

export function realSearchTests(open: (settings: Partial<Settings>) => Promise<World>): void {
  const datasets = expectedDatasets(readSample(), true);
  let world: World;
  beforeAll(async () => {
    world = await open({ 'catalog.locale_default': 'ja' });
    const { organizations, groups } = embedded(readSample());
    const owners = new Map<string, string>();
    for (const { id, name, title } of organizations)
      owners.set(id, (await world.make.organization({ name, title })).id);
    for (const { name, title } of groups) await world.make.group({ name, title });
    const call = world.app.callAs(world.system);
    for (const record of datasets) await datasetCreate(call, inputOf(record, owners));
  }, 300_000);
  afterAll(() => world.end());

  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

  function inputOf(record: Dataset, owners: Map<string, string>) {
    const list = (value: unknown) => (value ?? []) as Record<string, string>[];
    return {
      name: record.name,
      title: textOf(record.title),
      notes: textOf(record.notes),
      licenseId: textOf(record.license_id),
      ownerOrganization: owners.get(record.organization.id)!,
      groups: list(record.groups).map(({ name }) => ({ name: name! })),
      tags: list(record.tags).map(({ name }) => ({ name: name! })),
      extras: list(record.extras).map(({ key, value }) => ({ key: key!, value: value! })),
      resources: list(record.resources).map(({ url, name, description, format }) => ({
        url: url!,
        name,
        description,
        format,
      })),
    };
  }

  const result = (params: Record<string, unknown>) => world.result('package_search', params);

  /** Counts of the values of all datasets. */
  async function counted(of: (dataset: any) => (string | null | undefined)[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const dataset of datasets) {
      for (const value of new Set(of(dataset))) if (value != null) counts[value] = (counts[value] ?? 0) + 1;
    }
    return counts;
  }

  describe('facets of real data', () => {
    const facet = async (field: string) =>
      (await result({ 'facet.field': [field], 'facet.limit': -1, rows: 0 })).facets[field];

    it.each<[string, (dataset: any) => (string | null | undefined)[]]>([
      ['organization', (dataset) => [dataset.organization.name]],
      ['groups', (dataset) => dataset.groups.map((group: { name: string }) => group.name)],
      ['tags', (dataset) => dataset.tags.map((tag: { name: string }) => tag.name)],
      [
        'res_format',
        (dataset) => dataset.resources.map((resource: { format: string }) => resource.format).filter(Boolean),
      ],
      ['license_id', (dataset) => [dataset.license_id].filter(Boolean)],
      [
        '更新頻度',
        (dataset) => dataset.extras.filter(({ key }: any) => key === '更新頻度').map(({ value }: any) => value),
      ],
    ])('%s equal the counts of the file', async (field, of) => {
      expect(await facet(field)).toEqual(await counted(of));
    });

    it('equal the counts of the file within a search', async () => {
      const inFile = datasets.filter(({ title, notes }) => `${title}\n${notes}`.includes('東京'));
      const { count, facets } = await result({
        q: '東京',
        qf: 'title notes',
        'facet.field': ['organization'],
        'facet.limit': -1,
        rows: 0,
      });
      const owners: Record<string, number> = {};
      for (const { organization } of inFile) owners[organization.name] = (owners[organization.name] ?? 0) + 1;
      expect(count).toBe(inFile.length);
      expect(facets.organization).toEqual(owners);
    });
  });

  it.each(['東京', '調査', '環境', '施設', '一覧', '人口', '水道', '統計', '防災', '区'])(
    '%s finds exactly the datasets whose title or notes contain it',
    async (word) => {
      const inFile = datasets.filter(({ title, notes }) =>
        [title, notes].some((text) => textOf(text)?.normalize('NFKC').includes(word)),
      );
      expect(inFile.length).toBeGreaterThan(0);
      const { results } = await result({ q: word, qf: 'title notes', rows: 1000 });
      expect(results.map(({ name }: Dataset) => name).sort()).toEqual(inFile.map(({ name }) => name).sort());
      const byFields = await result({ q: `title:${word} OR notes:${word}`, rows: 0 });
      expect(byFields.count).toBe(inFile.length);
    },
  );

  it('has an index that matches the documents', async () => {
    for await (const { faults } of searchCheck(world.app.callAs(world.system))) expect(faults).toEqual([]);
  });
}
