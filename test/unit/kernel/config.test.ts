/** Settings: defaults, files, the environment, levels and error messages. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeSettings, loadSettings, SettingsError, settingsForTests } from '../../../src/kernel/config.ts';
import { describeLevel } from '../../../src/kernel/settings.action.ts';

const home = process.cwd();
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'settings-')));
  process.chdir(folder); // so that a catalog.yaml of the checkout is not read
});
afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

function file(text: string, name = 'catalog.yaml'): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof SettingsError) return thrown.problems;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

describe('defaults', () => {
  it('are safe', () => {
    const settings = loadSettings({});
    expect(settings).toMatchObject({
      'catalog.port': 5000,
      'catalog.site_url': 'http://localhost:5000',
      apikey_header_name: 'X-CATALOG-API-Key',
      'catalog.database_url': null,
      'catalog.auth.anon_create_dataset': false,
      'catalog.auth.user_delete_groups': true,
      'catalog.auth.roles_that_cascade_to_sub_groups': ['admin'],
      'catalog.limits.json_body': 10_485_760,
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('use the port in the URL of the site', () => {
    expect(loadSettings({ PORT: '8080' })['catalog.site_url']).toBe('http://localhost:8080');
  });
});

describe('the level of the Action API', () => {
  const single = (settings: object) =>
    Object.entries(settings).flatMap(([name, value]) =>
      name.startsWith('catalog.action_api.') ? [[name.slice('catalog.action_api.'.length), value]] : [],
    );

  it('sets the defaults of the individual settings', () => {
    expect(single(loadSettings({}))).toEqual([
      ['level', '2.4'],
      ['status', 'contract'],
      ['forms', 'refuse'],
      ['exact_numbers', 'text'],
      ['empty_numbers', 'refuse'],
      ['file_fields', 'leave'],
      ['memberships', 'admin'],
      ['autocomplete', 'start'],
    ]);
    expect(single(loadSettings({ CATALOG__ACTION_API__LEVEL: '2.11' }))).toEqual([
      ['level', '2.11'],
      ['status', 'http'],
      ['forms', 'read'],
      ['exact_numbers', 'number'],
      ['empty_numbers', 'null'],
      ['file_fields', 'fill'],
      ['memberships', 'all'],
      ['autocomplete', 'anywhere'],
    ]);
  });

  it('is overridden by individual settings from the file or the environment', () => {
    file('catalog.action_api: { level: 2.11, forms: refuse }\n'); // YAML reads a number
    const settings = loadSettings({ CATALOG__ACTION_API__STATUS: 'contract' });
    expect(settings).toMatchObject({
      'catalog.action_api.level': '2.11',
      'catalog.action_api.status': 'contract',
      'catalog.action_api.forms': 'refuse',
      'catalog.action_api.memberships': 'all',
    });
    expect(describeLevel(settings)).toBe(
      'level 2.11, suits clients of CKAN 2.9 and later (catalog.action_api.level); with catalog.action_api.status: contract, catalog.action_api.forms: refuse',
    );
  });

  it('is described in one line', () => {
    expect(describeLevel(loadSettings({}))).toBe('level 2.4, suits clients of CKAN 2.4 (catalog.action_api.level)');
    expect(describeLevel(settingsForTests({ 'catalog.action_api.level': '2.11' }))).toBe(
      'level 2.11, suits clients of CKAN 2.9 and later (catalog.action_api.level)',
    );
  });

  it('is either 2.4 or 2.11', () => {
    for (const level of ['2.5', '2.110', ''])
      expect(problemsOf(() => loadSettings({ CATALOG__ACTION_API__LEVEL: level }))).toEqual([
        `catalog.action_api.level (CATALOG__ACTION_API__LEVEL): must be one of 2.4, 2.11 (got "${level}")`,
      ]);
  });
});

describe('the environment', () => {
  it('sets every setting by its full name, and some by a common name', () => {
    const settings = loadSettings({
      CATALOG__AUTH__CREATE_UNOWNED_DATASET: 'yes',
      SEARCH__FACETS__LIMIT: '7',
      APIKEY_HEADER_NAME: 'X-Key',
      DATABASE_URL: 'postgres://u:p@db/catalog',
      LOG_SQL: '1',
      CATALOG__PLUGINS: 'stats, datastore',
      CATALOG__LIMITS__UPLOAD: '2 GiB',
      CATALOG__SITE_URL: 'https://data.example.org/',
    });
    expect(settings).toMatchObject({
      'catalog.auth.create_unowned_dataset': true,
      'search.facets.limit': 7,
      apikey_header_name: 'X-Key',
      'catalog.database_url': 'postgres://u:p@db/catalog',
      'catalog.log_sql': true,
      'catalog.plugins': ['stats', 'datastore'],
      'catalog.limits.upload': 2 ** 31,
      'catalog.site_url': 'https://data.example.org',
    });
  });

  it('takes precedence over the file, and the full name over the common one', () => {
    file('catalog.port: 1\ncatalog.site_id: file\n'); // found in the working directory
    expect(loadSettings({ CATALOG__PORT: '2', PORT: '3' })).toMatchObject({
      'catalog.port': 2,
      'catalog.site_id': 'file',
    });
  });

  it('clears optional settings with an empty value', () => {
    expect(loadSettings({ DATABASE_URL: '', CATALOG__PLUGINS: '' })).toMatchObject({
      'catalog.database_url': null,
      'catalog.plugins': [],
    });
  });
});

describe('the file', () => {
  it('accepts nested and dotted keys, in YAML and JSON', () => {
    const yaml = file(
      'catalog:\n  site_id: a\n  auth.anon_create_dataset: true\ncatalog.auth:\n  user_create_groups: true\n',
    );
    expect(loadSettings({}, yaml)).toMatchObject({
      'catalog.site_id': 'a',
      'catalog.auth.anon_create_dataset': true,
      'catalog.auth.user_create_groups': true,
    });
    const json = file('{"catalog": {"plugins": ["stats"]}, "catalog.port": 81}', 'settings.json');
    expect(loadSettings({ CATALOG_CONFIG: json })).toMatchObject({ 'catalog.plugins': ['stats'], 'catalog.port': 81 });
  });

  it('resolves paths from its own folder, and reads dataset types inline or from a file', () => {
    file('{"properties": {"depth": {"type": "number"}}}', 'well.json');
    const at = file('catalog:\n  data_dir: here\n  dataset_types:\n    well: well.json\n    map: { properties: {} }\n');
    const settings = loadSettings({}, at);
    expect(settings['catalog.data_dir']).toBe(join(folder, 'here'));
    expect(settings['catalog.dataset_types']).toEqual({
      well: { properties: { depth: { type: 'number' } } },
      map: { properties: {} },
    });
  });

  it('reports unknown and repeated settings by name', () => {
    const at = file('catalog:\n  site_idd: a\n  port: 1\ncatalog.port: 2\nsearch.nothing: 1\n__proto__: { x: 1 }\n');
    expect(problemsOf(() => loadSettings({}, at))).toEqual([
      `catalog.site_idd (${at}): no such setting`,
      `catalog.port (${at}): set twice`,
      `search.nothing (${at}): no such setting`,
      `__proto__.x (${at}): no such setting`,
    ]);
  });

  it('must exist if it is named, and be readable', () => {
    expect(problemsOf(() => loadSettings({ CATALOG_CONFIG: join(folder, 'none.yaml') }))[0]).toContain(
      'none.yaml: cannot be read',
    );
    expect(problemsOf(() => loadSettings({}, file('a: [1')))[0]).toContain('catalog.yaml: cannot be read');
  });
});

describe('bad values', () => {
  it('are reported all at once, each with its name, its value and the expected value', () => {
    const problems = problemsOf(() =>
      loadSettings({
        PORT: '70000',
        CATALOG__LOG_LEVEL: 'loud',
        CATALOG__LOG_SQL: 'perhaps',
        CATALOG__SITE_URL: 'ftp://x',
        CATALOG__LIMITS__JSON_BODY: '10 bananas',
        CATALOG__LOCALE_DEFAULT: '??',
        CATALOG__NONSENSE: '1',
        CATALOG__DATASET_TYPES: '{"well": "missing.json"}',
      }),
    );
    expect(problems).toEqual([
      'CATALOG__NONSENSE (environment): no such setting',
      'catalog.site_url (CATALOG__SITE_URL): must be a URL that starts with http:// or https:// (got "ftp://x")',
      'catalog.locale_default (CATALOG__LOCALE_DEFAULT): must be a language code such as en or pt_BR (got "??")',
      'catalog.port (PORT): must be an integer from 0 to 65535 (got "70000")',
      'catalog.limits.json_body (CATALOG__LIMITS__JSON_BODY): must be a size of at least 1024 bytes, such as 10485760 or 10 MiB (got "10 bananas")',
      expect.stringMatching(/^catalog\.dataset_types .* must be a readable JSON Schema in .*missing\.json \(got /),
      'catalog.log_level (CATALOG__LOG_LEVEL): must be one of trace, debug, info, warn, error, fatal, silent (got "loud")',
      'catalog.log_sql (CATALOG__LOG_SQL): must be true or false (got "perhaps")',
    ]);
  });

  it('never show a secret', () => {
    const problems = problemsOf(() =>
      loadSettings({ CATALOG__SECRET: 'short', DATABASE_URL: 'mysql://me:hush@db/x?password=hush' }),
    ).join();
    expect(problems).toContain('(got "(hidden)")');
    expect(problems).toContain('(got "mysql://***@db/x?password=***")');
    const invalid = ['postgresql://me:hu/sh@b@db/x', 'postgresql://me:hu#sh@db/x', 'mysql://me:hu sh@db/x'].map((url) =>
      problemsOf(() => loadSettings({ DATABASE_URL: url })).join(),
    );
    expect(invalid[0]).toContain(
      'a URL that starts with postgres:// or postgresql://, with special characters of the password percent-encoded (got "postgresql://***@db/x")',
    );
    expect(problems + invalid).not.toMatch(/hush|hu|sh@/);
  });

  it('include a DataStore read URL without a write URL', () => {
    expect(problemsOf(() => loadSettings({ CATALOG__DATASTORE__READ_URL: 'postgres://r@db/d' }))).toEqual([
      'catalog.datastore.read_url: requires catalog.datastore.write_url',
    ]);
  });
});

it('describes effective values with their source, secrets hidden', () => {
  const settings = loadSettings(
    { CATALOG__SECRET: 'a very long secret', DATABASE_URL: 'postgres://me:hush@db/x' },
    file('catalog.port: 90'),
  );
  const rows = Object.fromEntries(describeSettings(settings).map((row) => [row.name, row]));
  expect(rows['catalog.secret']).toMatchObject({ value: '(hidden)', source: 'environment' });
  expect(rows['catalog.database_url']).toMatchObject({ value: 'postgres://me:***@db/x', source: 'environment' });
  expect(rows['catalog.port']).toMatchObject({ value: 90, source: 'file' });
  expect(rows['catalog.site_id']).toMatchObject({ value: 'default', source: 'default' });
});

it('reads a list of databases, and hides their passwords', () => {
  const urls = ['postgres://me:hush@db1/x', 'postgresql://me:hush@db2:5433/x'];
  const settings = loadSettings({ DATABASE_REPLICA_URLS: urls.join(' ') });
  expect(settings['catalog.database_replica_urls']).toEqual(urls);
  const [shown] = describeSettings(settings).filter(({ name }) => name === 'catalog.database_replica_urls');
  expect(shown!.value).toEqual(['postgres://me:***@db1/x', 'postgresql://me:***@db2:5433/x']);
  expect(
    problemsOf(() => loadSettings({ DATABASE_REPLICA_URLS: `${urls[0]} mysql://me:hush@db2/x ${urls[1]}` })),
  ).toEqual([
    'catalog.database_replica_urls (DATABASE_REPLICA_URLS): must be a list of URLs that start with postgres:// or postgresql://, with special characters of the password percent-encoded (got "postgres://***@db1/x mysql://***@db2/x postgresql://***@db2:5433/x")',
  ]);
});

it('reads one URL of Solr or several, and hides their passwords', () => {
  const read = (value: unknown) => loadSettings({}, file(`catalog.search.solr_url: ${JSON.stringify(value)}`));
  const urlsOf = (value: unknown) => read(value)['catalog.search.solr_url'];
  const urls = ['http://me:hush@solr1:8983/solr/x', 'https://solr2/solr/x'];
  expect(urlsOf(urls[0])).toEqual([urls[0]]);
  expect(urlsOf(urls.join(' '))).toEqual(urls);
  expect(urlsOf(urls)).toEqual(urls);
  expect([urlsOf(null), urlsOf('')]).toEqual([[], []]);
  const [shown] = describeSettings(read(urls)).filter(({ name }) => name === 'catalog.search.solr_url');
  expect(shown!.value).toEqual(['http://me:***@solr1:8983/solr/x', urls[1]]);
  for (const wrong of ['ftp://solr/x', 'http://solr/x#y', 'solr'])
    expect(problemsOf(() => read(`${urls[1]},${wrong}`)).join()).toContain(
      'must be a list of URLs that start with http:// or https://',
    );
});

it('gives tests silent settings on a free port, with overrides', () => {
  expect(settingsForTests({ 'catalog.site_id': 'x' })).toMatchObject({
    'catalog.site_id': 'x',
    'catalog.port': 0,
    'catalog.log_level': 'silent',
  });
});
