/** Each dataset text is in the index, in the field definitions and in Solr's schema, as its declaration says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DatasetBody } from '../../../src/catalog/document/record.ts';
import { byTextKey, DATASET_TEXT_KEYS, DATASET_TEXTS } from '../../../src/kernel/dataset-fields.ts';
import { projectRoot } from '../../../src/kernel/root.ts';
import { COMMON_TEXTS, kindOf } from '../../../src/records/import/recognize.ts';
import { entryOf } from '../../../src/search/index/entry.rules.ts';
import { exactFieldOf, fieldOf, isPartOfText } from '../../../src/search/query/fields.ts';
import { sortOf } from '../../../src/search/query/sort.ts';
import { solrDocument } from '../../../src/search/solr/document.ts';
import { fieldWord } from '../../../src/search/words/keys.ts';

const TEXT = 'Every Wombat';
const body = (texts: Partial<DatasetBody>): DatasetBody =>
  ({
    ...byTextKey(() => null),
    ...{ id: 'id-1', name: 'rivers', title: 'Rivers of Wales', type: 'dataset', isopen: true },
    ...{ organization: null, groups: [], tags: [], extras: [], resources: [], num_resources: 0, num_tags: 0 },
    ...texts,
  }) as unknown as DatasetBody;
const entry = (texts: Partial<DatasetBody>) => entryOf(body(texts), (word) => word);

const solr = (texts: Partial<DatasetBody>) => {
  const { words, field_words, values, ...counts } = entry(texts);
  const [created_at, modified_at] = [new Date(0), new Date(0)];
  return solrDocument({
    ...{ ...counts, words, field_words, values: values.map(({ field, value }) => [field, value] as const) },
    ...{ number: 1, written: '1', state: 'active', private: false, owner_organization_id: null, creator_id: null },
    ...{ name: 'rivers', title: 'Rivers', created_at, modified_at, views_total: 0, views_recent: 0 },
    document: JSON.stringify(body(texts)),
  });
};

/** Expected matches by search type: words without a field name, words under the field name, and facet counts. */
const FOUND = {
  exact: { plain: false, named: false, counted: false, kind: 'column' },
  words: { plain: false, named: true, counted: false, kind: 'ownWords' },
  text: { plain: true, named: true, counted: false, kind: 'ownWords' },
  notes: { plain: true, named: false, counted: false, kind: 'words' },
  value: { plain: false, named: false, counted: true, kind: 'value' },
} as const;

describe.each(DATASET_TEXT_KEYS.map((key) => [key, DATASET_TEXTS[key].search] as const))('%s (%s)', (key, search) => {
  const expected = FOUND[search];
  const { words, field_words, values } = entry({ [key]: TEXT });

  it('is in the index entry', () => {
    expect(words.includes("'wombat'")).toBe(expected.plain);
    expect(field_words.includes(fieldWord(key, 'wombat'))).toBe(expected.named);
    expect(values.some(({ field, value }) => field === key && value === TEXT)).toBe(expected.counted);
  });

  it('is a search field, and sorts by its whole value', () => {
    expect(fieldOf(key).kind).toBe(expected.kind);
    expect(isPartOfText(key)).toBe(expected.plain);
    const whole = expected.counted
      ? { kind: 'value', of: key }
      : { kind: 'column', of: DATASET_TEXTS[key].field, type: 'text' };
    expect(exactFieldOf(key)).toEqual(whole);
    expect(sortOf(`${key} desc`).keys).toEqual([{ by: whole, descending: true }]);
  });

  it('is in the Solr document', () => {
    expect(solr({ [key]: TEXT })[key]).toEqual(expected.counted ? [TEXT] : TEXT);
  });

  it('marks a record as a dataset, unless other objects have the key too', () => {
    expect(kindOf({ [key]: TEXT })).toBe(COMMON_TEXTS.has(key) ? null : 'dataset');
  });
});

it('Solr has a field for each field of a document', () => {
  const schema = readFileSync(join(projectRoot, 'solr/conf/schema.xml'), 'utf8');
  const known = new Set([...schema.matchAll(/<field name="(\w+)"/g)].map(([, name]) => name));
  const written = Object.keys(solr(byTextKey(() => TEXT)));
  expect(written).toEqual(expect.arrayContaining(DATASET_TEXT_KEYS));
  expect(written.filter((name) => !known.has(name))).toEqual([]);
});

it('indexes the parts of a dataset in a fixed order', () => {
  const all = entry({
    ...{ notes: 'notes', url: 'url', version: 'version', author: 'author', author_email: 'a@b.c', license_id: 'cc' },
    ...{ maintainer: 'maintainer', maintainer_email: 'm@b.c', organization: { name: 'owner' } },
    ...{ tags: [{ name: 'tag', vocabulary_id: null }], groups: [{ name: 'group' }] },
    extras: [{ key: 'extra', value: 'extra' }],
    resources: [{ name: 'table', description: 'rows', format: 'CSV', resource_type: null }],
  } as unknown as Partial<DatasetBody>);
  const words = (vector: string) => vector.replaceAll("'", '').replaceAll('\u0001', ' ');
  expect(words(all.words)).toBe(
    'rivers:1A,36 of:2A wales:3A tag:14B group:25B notes:47C owner:58 author:69 maintainer:80 extra:91 table:102 rows:113',
  );
  expect(words(all.field_words).match(/(?<=^|A )\S+ [^ ]+/g)).toEqual([
    ...['author author:1A', 'author_email a:12A', 'author_email b:13A', 'author_email c:14A', 'author_email abc:16A'],
    ...['maintainer maintainer:27A', 'maintainer_email m:38A', 'maintainer_email b:39A', 'maintainer_email c:40A'],
    ...['maintainer_email mbc:42A', 'res_name table:53A', 'res_description rows:64A', 'extras_extra extra:75A'],
  ]);
  expect(all.values.map(({ field, value }) => `${field} ${value}`)).toEqual([
    ...['organization owner', 'license_id cc', 'dataset_type dataset', 'isopen true'],
    ...['groups group', 'tags tag', 'res_format CSV'],
  ]);
});
