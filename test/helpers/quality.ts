/** Datasets whose metadata meets or misses each check of the quality method. */
import type { World } from './world.ts';

/** States of some checks, as letters. */
type Expected = Readonly<Record<string, '0' | '1' | '?'>>;

interface Made {
  readonly name: string;
  readonly expected: Expected;
}

type Verdict = 'ok' | 'moved' | 'broken' | 'forbidden' | 'unknown' | null;
type Resource = Readonly<Record<string, unknown>> & { readonly verdict?: Verdict };
type Dataset = Readonly<Record<string, unknown>> & {
  readonly extras?: readonly { key: string; value: string }[];
  readonly resources?: readonly Resource[];
};

const AUTHORITY = 'http://publications.europa.eu/resource/authority';
const CSV: Resource = {
  // The catalog guesses formats and media types from names of files.
  url: 'http://data.test/a',
  download_url: 'http://data.test/a',
  format: 'CSV',
  mimetype: 'text/csv',
  size: 10,
  rights: 'Open',
  license: `${AUTHORITY}/licence/CC_BY_4_0`,
  verdict: 'ok',
};
const EXTRAS: Readonly<Record<string, string>> = {
  spatial: 'Rhine',
  temporal_start: '2020-01-01',
  access_rights: `${AUTHORITY}/access-right/PUBLIC`,
};
const listOf = (extras: Readonly<Record<string, string>>) =>
  Object.entries(extras).map(([key, value]) => ({ key, value }));
const without = <T extends object>(object: T, ...keys: string[]): T =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key))) as T;

/** Creates the datasets, with verdicts of their links. */
export async function madeDatasets(world: World): Promise<Made[]> {
  const admin = await world.make.sysadmin();
  const organization = await world.make.organization();
  const group = await world.make.group();
  const full: Dataset = {
    title: 'Rivers',
    notes: 'Levels of rivers',
    tags: [{ name: 'water' }],
    groups: [{ id: group.id }],
    owner_org: organization.id,
    maintainer: 'Water office',
    license_id: 'cc-by',
    extras: listOf(EXTRAS),
    resources: [CSV],
  };
  const made: Made[] = [];
  async function make(name: string, dataset: Dataset, expected: Expected = {}): Promise<void> {
    const resources = dataset.resources ?? [];
    const { resources: created } = await world.result(
      'package_create',
      { ...dataset, name, resources: resources.map((it) => without(it, 'verdict')) },
      { as: admin },
    );
    for (const [index, { verdict = null }] of resources.entries())
      await world.database.db.resourceLink.updateMany({
        where: { resourceId: created[index].id },
        data: { verdict, checkedAt: new Date(), since: new Date() },
      });
    made.push({ name, expected });
  }
  const withResource = (change: Resource): Dataset => ({ ...full, resources: [{ ...CSV, ...change }] });
  const withExtras = (extras: Readonly<Record<string, string>>): Dataset => ({
    ...full,
    extras: listOf({ ...EXTRAS, ...extras }),
  });
  await make('full', full, { KEYWORDS: '1', DCAT_AP: '1', PUBLISHER: '1', RIGHTS: '1' });
  await make('empty', { title: 'Nothing' }, { KEYWORDS: '0', LICENSE: '0', DCAT_AP: '0' });
  for (const [check, dataset] of Object.entries(lacking(full, withResource)))
    await make(`without-${slug(check)}`, dataset, { [check]: '0' });
  for (const [check, dataset] of Object.entries(having(organization.id, group.id)))
    await make(`only-${slug(check)}`, { title: 'Only', ...dataset }, { [check]: '1' });
  for (const verdict of ['moved', 'broken', 'forbidden', 'unknown', null] as const)
    await make(`link-${verdict ?? 'new'}`, withResource({ verdict }), {
      ACCESS_URL_WORKS: verdict === 'moved' ? '1' : verdict === 'broken' || verdict === 'forbidden' ? '0' : '?',
    });
  await make('other-access-url', withResource({ access_url: 'http://data.test/about' }), {
    ACCESS_URL_WORKS: '?',
    DOWNLOAD_URL_WORKS: '1',
  });
  await make('other-download-url', withResource({ download_url: 'http://data.test/other' }), {
    ACCESS_URL_WORKS: '1',
    DOWNLOAD_URL_WORKS: '?',
  });
  const pdf: Resource = { url: 'http://data.test/a.pdf', format: 'PDF', verdict: 'ok' };
  await make(
    'best-of-two',
    { ...full, resources: [pdf, CSV, { ...pdf, verdict: 'broken' }] },
    { MACHINE_READABLE: '1', BYTE_SIZE: '1' },
  );
  await make(
    'parts-in-two',
    { ...full, resources: [without({ ...CSV, verdict: 'broken' }, 'download_url'), pdf] },
    {
      ACCESS_URL_WORKS: '1',
      DOWNLOAD_URL: '0',
      MACHINE_READABLE: '1',
    },
  );
  for (const [name, dataset] of Object.entries(stars(full, withResource))) await make(name, dataset);
  for (const [name, dataset] of Object.entries(faulty(full, withExtras, withResource)))
    await make(`fault-${name}`, dataset, { DCAT_AP: '0' });
  for (const [name, dataset] of Object.entries(unusual(full, withExtras, withResource))) await make(name, dataset);
  return made;
}

const slug = (check: string): string => check.toLowerCase().replaceAll('_', '-');

type WithResource = (change: Resource) => Dataset;
type WithExtras = (extras: Readonly<Record<string, string>>) => Dataset;

/** By check: metadata that meets all checks except this one. */
const lacking = (full: Dataset, withResource: WithResource): Record<string, Dataset> => {
  const only = (...keys: string[]): Dataset => ({ ...full, resources: [without(CSV, ...keys)] });
  const extras = (key: string): Dataset => ({ ...full, extras: listOf(without(EXTRAS, key)) });
  return {
    KEYWORDS: without(full, 'tags'),
    CATEGORIES: without(full, 'groups'),
    SPATIAL: extras('spatial'),
    TEMPORAL: extras('temporal_start'),
    ACCESS_URL_WORKS: withResource({ verdict: 'broken' }),
    DOWNLOAD_URL: only('download_url'),
    DOWNLOAD_URL_WORKS: withResource({ verdict: 'forbidden' }),
    FORMAT: only('format'),
    MEDIA_TYPE: only('mimetype'),
    FORMAT_VOCABULARY: withResource({ mimetype: 'application/x-unheard-of' }),
    NON_PROPRIETARY: withResource({ format: 'XLS' }),
    MACHINE_READABLE: withResource({ format: 'PNG' }),
    DCAT_AP: without(full, 'notes'),
    LICENSE: without({ ...full, resources: [without(CSV, 'license')] }, 'license_id'),
    LICENSE_VOCABULARY: withResource({ license: 'http://example.org/own-license' }),
    ACCESS_RIGHTS: extras('access_rights'),
    ACCESS_RIGHTS_VOCABULARY: { ...full, extras: listOf({ ...EXTRAS, access_rights: 'for all' }) },
    CONTACT_POINT: without(full, 'maintainer'),
    PUBLISHER: without(full, 'owner_org'),
    RIGHTS: only('rights'),
    BYTE_SIZE: only('size'),
  };
};

/** By check: metadata that meets hardly more than this check. */
const having = (owner: string, group: string): Record<string, Dataset> => {
  const resource = (parts: Resource): Dataset => ({ resources: [{ url: 'http://data.test/b', ...parts }] });
  return {
    KEYWORDS: { tags: [{ name: 'air' }] },
    CATEGORIES: { groups: [{ id: group }] },
    SPATIAL: { extras: listOf({ spatial: '{"type":"Point","coordinates":[7,50]}' }) },
    TEMPORAL: { extras: listOf({ temporal_end: '2021' }) },
    ACCESS_URL_WORKS: resource({ verdict: 'ok' }),
    DOWNLOAD_URL: resource({ resource_type: 'file' }),
    DOWNLOAD_URL_WORKS: resource({ resource_type: 'file.upload', verdict: 'moved' }),
    FORMAT: resource({ format: 'leaflet' }),
    MEDIA_TYPE: resource({ mimetype: 'text/plain' }),
    FORMAT_VOCABULARY: resource({ format: 'TXT', mimetype: 'text/plain' }),
    NON_PROPRIETARY: resource({ format: 'html' }),
    MACHINE_READABLE: resource({ format: '.xlsx' }),
    DCAT_AP: { notes: 'Said' },
    LICENSE: { license_id: 'notspecified', ...resource({}) },
    LICENSE_VOCABULARY: resource({ license: 'https://www.opensource.org/licenses/MIT/' }),
    ACCESS_RIGHTS: { extras: listOf({ access_rights: 'closed' }) },
    ACCESS_RIGHTS_VOCABULARY: { extras: listOf({ access_rights: `${AUTHORITY}/access-right/RESTRICTED` }) },
    CONTACT_POINT: { author_email: 'a@example.org', author: 'A' },
    PUBLISHER: { owner_org: owner },
    RIGHTS: resource({ rights: 'http://example.org/rights' }),
    BYTE_SIZE: resource({ size: 0 }),
    ISSUED: { extras: listOf({ issued: '2020' }) },
    MODIFIED: resource({ last_modified: '2020-01-02T03:04:05' }),
  };
};

/** Datasets by number of stars. */
const stars = (full: Dataset, withResource: WithResource): Record<string, Dataset> => ({
  'stars-closed': { ...full, license_id: 'other-closed' },
  'stars-broken': withResource({ verdict: 'broken' }),
  'stars-one': withResource({ format: 'PDF' }),
  'stars-two': withResource({ format: 'XLSX' }),
  'stars-three': withResource({ format: 'GeoJSON' }),
  'stars-four': withResource({ format: 'ttl', mimetype: 'text/turtle' }),
});

/** Descriptions that DCAT-AP does not allow. */
const faulty = (full: Dataset, withExtras: WithExtras, withResource: WithResource): Record<string, Dataset> => ({
  notes: { ...full, notes: '' },
  'maintainer-without-name': { ...without(full, 'maintainer'), maintainer_email: 'm1@example.org' },
  'author-without-name': { ...full, author_email: 'a2@example.org' },
  'publisher-without-name': withExtras({ publisher_uri: 'http://example.org/agents/1' }),
  'creator-without-name': withExtras({ creator_uri: 'http://example.org/agents/2', creator_url: 'http://example.org' }),
  'type-without-label': withExtras({ dcat_type: 'http://example.org/types/1' }),
  'publisher-type': withExtras({ publisher_name: 'P', publisher_type: 'http://example.org/types/2' }),
  'two-versions': withExtras({ dcat_version: '{"en": "one", "de": "eins"}' }),
  'status-without-label': withResource({ status: 'http://example.org/status/1' }),
  'availability-without-label': withResource({ availability: 'http://example.org/availability/1' }),
  'no-access-url': withResource({ url: 'on paper', download_url: '' }),
  'service-without-title': withResource({ access_services: '[{"endpoint_url": ["http://example.org/api/1"]}]' }),
  'service-without-endpoint': withResource({ access_services: '[{"title": "API"}]' }),
});

const unusual = (full: Dataset, withExtras: WithExtras, withResource: WithResource): Record<string, Dataset> => ({
  'many-extras': withExtras({
    frequency: 'daily',
    language: '["en", "de"]',
    conforms_to: 'http://example.org/standard',
    provenance: 'measured',
    theme: '["http://publications.europa.eu/resource/authority/data-theme/ENVI"]',
    spatial_resolution_in_meters: '12.5',
    temporal_resolution: 'P1D',
    applicable_legislation: 'http://data.europa.eu/eli/reg_impl/2023/138/oj',
    publisher_name: 'Office',
    contact_uri: 'http://example.org/contact',
  }),
  'odd-values': withExtras({
    spatial_resolution_in_meters: 'far',
    temporal_resolution: 'often',
    issued: 'long ago',
    modified: '2020-13-40',
  }),
  'odd-resource': withResource({
    format: `${AUTHORITY}/file-type/CSV`,
    mimetype: 'text/csv; charset=utf-8',

    hash: 'sha256:zz',
  }),
  'space-in-url': withResource({ url: 'http://data.test/a b.csv', download_url: 'http://data.test/a b.csv' }),
  half: without(full, 'resources', 'extras', 'license_id'),
  'private-one': { ...full, private: true },
});
