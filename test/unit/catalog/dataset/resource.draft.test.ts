import { describe, expect, it } from '@jest/globals';
import { cleanFormat, guessFormat } from '../../../../src/catalog/dataset/write/formats.ts';
import type { ResourceInput } from '../../../../src/catalog/dataset/write/input.ts';
import { draftAddress, isScriptAddress } from '../../../../src/catalog/dataset/write/resource.address.ts';
import { draftResource, type ResourceDraft } from '../../../../src/catalog/dataset/write/resource.draft.ts';
import type { Problem } from '../../../../src/kernel/errors.ts';

function draft(input: ResourceInput, existing?: ResourceDraft, extras: 'replace' | 'merge' = 'replace') {
  const problems: Problem[] = [];
  return {
    ...draftResource(
      input,
      { existing, extras, newId: () => 'new', now: '2026-01-01T00:00:00.000000' },
      ['r'],
      problems,
    ),
    problems,
  };
}

describe('draftResource', () => {
  it('fills in missing fields of a new resource', () => {
    expect(draft({ url: ' example.com/data.json ' })).toMatchObject({
      id: 'new',
      url: 'http://example.com/data.json',
      format: 'JSON',
      description: '',
      hash: '',
      created: '2026-01-01T00:00:00.000000',
      size: null,
      problems: [],
    });
  });

  it.each(['http://a.example/x', 'ftp://a.example', 'mailto:a@b.example', '/local/path'])(
    'keeps the URL %s unchanged',
    (url) => {
      expect(draft({ url }).url).toBe(url);
    },
  );

  it('keeps times unchanged when they are sent again, also whole seconds', () => {
    const times = { created: '2026-01-01T00:00:00.000000', lastModified: '2026-01-01T00:00:00' };
    expect(draft({ url: 'x', ...times })).toMatchObject({ ...times, problems: [] });
  });

  const NO_FILE = 'Must be an http or https URL, or the name of a file';
  it.each([
    [{}, 'url', 'Missing value'],
    [{ url: '' }, 'url', 'Missing value'],
    [{ url: 'javascript:alert(1)' }, 'url', 'Must not be a script or data URL'],
    [{ url: 'java\tscript:alert(1)' }, 'url', 'Must not be a script or data URL'],
    [{ url: '\u0001javascript:alert(1)//x', urlType: 'upload' }, 'url', 'Must not be a script or data URL'],
    [{ url: 'x', cacheUrl: ' java\nscript:alert(1)' }, 'cacheUrl', 'Must not be a script or data URL'],
    [{ url: 'x', webstoreUrl: 'data:text/html,x' }, 'webstoreUrl', 'Must not be a script or data URL'],
    [{ url: 'ftp://a.example/x', urlType: 'upload' }, 'url', NO_FILE],
    [{ url: '\u0001file:///etc/x', urlType: 'upload' }, 'url', NO_FILE],
    [{ url: 'x', created: '2012' }, 'created', 'Date format incorrect'],
    [{ url: 'x', lastModified: '2012-13-45' }, 'lastModified', 'Date format incorrect'],
    [{ url: 'x', lastModified: '2021-02-30' }, 'lastModified', 'Date format incorrect'],
  ])('refuses %j', (input, field, message) => {
    expect(draft(input).problems).toEqual([{ path: ['r', field], message }]);
  });

  it.each([
    ['https://a.example/b/x.csv', 'https://a.example/b/x.csv'],
    ['My File.csv', 'my-file.csv'],
  ])('accepts %s as the URL of an uploaded file', (url, kept) => {
    expect(draft({ url, urlType: 'upload' })).toMatchObject({ url: kept, urlType: 'upload', problems: [] });
  });

  it.each([
    [{ name: 'Levels' }, []],
    [{ url: '' }, []],
    [{}, [{ path: ['url'], message: 'Missing value' }]],
  ])('uses the file name as the URL of an upload with %j', (input, expected) => {
    const problems: object[] = [];
    const add = (field: string, message: string) => problems.push({ path: [field], message });
    expect(
      draftAddress(input, undefined, { upload: { name: 'My Levels.csv', size: 3, fillsFields: true } }, add).url,
    ).toBe('my-levels.csv');
    expect(problems).toEqual(expected);
  });

  it('keeps the URL if a change omits it', () => {
    const before = { ...draft({ url: 'x' }), url: 'ftp://a.example/x', urlType: 'upload' };
    expect(draft({ name: 'N' }, before)).toMatchObject({ url: 'ftp://a.example/x', problems: [] });
  });

  it.each([
    ['2012-01-01', '2012-01-01T00:00:00'],
    ['2012-01-01T10:00:00', '2012-01-01T10:00:00'],
    ['2022-04-26T01:47:28.601039', '2022-04-26T01:47:28.601039'],
    ['2012-01-01T10:00:00Z', '2012-01-01T10:00:00'],
    ['2012-01-01T10:00:00+02:00', '2012-01-01T08:00:00'],
    ['2012-01-01 10:00', '2012-01-01T10:00:00'],
  ])('stores the time %s as %s', (given, kept) => {
    expect(draft({ url: 'x', lastModified: given }).lastModified).toBe(kept);
  });

  it('keeps omitted fields, and replaces extras unless they are merged', () => {
    const before = draft({ url: 'http://a.example', description: 'D', extras: { a: 1 } });
    expect(draft({ url: 'http://b.example' }, before)).toMatchObject({
      url: 'http://b.example',
      description: 'D',
      extras: {},
    });
    expect(draft({ extras: { b: 2, a: null } }, before, 'merge')).toMatchObject({
      url: 'http://a.example',
      extras: { b: 2 },
    });
  });
});

it('recognizes formats by name, media type and file extension', () => {
  expect(['csv', 'text/csv', 'APPLICATION/JSON', 'geojson', 'weird Format', ' CSV '].map(cleanFormat)).toEqual([
    'CSV',
    'CSV',
    'JSON',
    'GeoJSON',
    'weird Format',
    ' CSV ',
  ]);
  expect(
    ['http://x/a.xlsx', 'http://x/a.csv?b=c', 'http://x/', 'http://x.json.example/a', 'x.unknown'].map(guessFormat),
  ).toEqual(['XLSX', 'CSV', '', '', '']);
});

it('recognizes obfuscated script URLs', () => {
  const running = [
    'javascript:x',
    'JavaScript:x',
    'java\tscript:x',
    '\0\u001f java\r\nscript :x',
    'vbscript:x',
    '\u0085data:x',
  ];
  expect(running.filter((text) => !isScriptAddress(text))).toEqual([]);
  expect(['', 'http://a.example/javascript:x', 'database:x', 'javascript'].filter(isScriptAddress)).toEqual([]);
});
