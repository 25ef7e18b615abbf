/** Texts of datasets, organizations and tags in a requested language. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  const as = await world.make.sysadmin();
  await world.result('organization_create', { name: 'town', title: 'Town', description: 'A *town*' }, { as });
  const extras = [
    { key: 'title_translated', value: JSON.stringify({ en: 'Levels', de: 'Pegel', pt_BR: 'Níveis', fr: ' ' }) },
    { key: 'notes_translated', value: '{broken' },
  ];
  await world.result(
    'package_create',
    {
      name: 'levels',
      title: 'Levels',
      notes: 'All **rivers**',
      owner_org: 'town',
      extras,
      tags: [{ name: 'water' }],
      resources: [
        { url: 'http://town.example/a', name: 'Table', description: 'Numbers', name_translated: '{"de":"Tabelle"}' },
      ],
    },
    { as },
  );
  const terms = {
    'All **rivers**': 'Alle **Flüsse**',
    water: 'Wasser',
    Town: 'Stadt',
    'A *town*': 'Eine *Stadt*',
    Levels: 'Nie',
  };
  const data = Object.entries(terms).map(([term, term_translation]) => ({ term, term_translation, lang_code: 'de' }));
  await world.result(
    'term_translation_update_many',
    { data: [...data, { term: 'water', term_translation: 'água', lang_code: 'pt_BR' }] },
    { as },
  );
});
afterAll(() => world.end());

const QUERY = `query ($language: String) {
  dataset(name: "levels") {
    title(language: $language) notes(language: $language) notesHtml(language: $language)
    tags { displayName(language: $language) tag { displayName(language: $language) } }
    embeddedOrganization { title(language: $language) }
    resources { name(language: $language) description(language: $language) }
    organization {
      displayName(language: $language) description(language: $language) descriptionHtml(language: $language)
    }
  }
}`;

const read = async (language: string | null) => {
  const { body } = await world.graph(QUERY, { language });
  const { dataset } = body.data;
  return {
    own: [dataset.title, dataset.notes, dataset.notesHtml],
    tag: [dataset.tags[0].displayName, dataset.tags[0].tag.displayName],
    resource: [dataset.resources[0].name, dataset.resources[0].description],
    organization: [dataset.embeddedOrganization.title, ...Object.values(dataset.organization)],
  };
};

const PLAIN = {
  own: ['Levels', 'All **rivers**', '<p>All <strong>rivers</strong></p>'],
  tag: ['water', 'water'],
  resource: ['Table', 'Numbers'],
  organization: ['Town', 'Town', 'A *town*', '<p>A <em>town</em></p>'],
};

it('prefers translations of the object to translations of terms', async () => {
  expect(await read('de')).toEqual({
    own: ['Pegel', 'Alle **Flüsse**', '<p>Alle <strong>Flüsse</strong></p>'],
    tag: ['Wasser', 'Wasser'],
    resource: ['Tabelle', 'Numbers'],
    organization: ['Stadt', 'Stadt', 'Eine *Stadt*', '<p>Eine <em>Stadt</em></p>'],
  });
});

it.each(['de_AT', 'de-AT', 'DE'])('uses translations of the language for %s', async (code) => {
  expect((await read(code)).tag).toEqual(['Wasser', 'Wasser']);
});

it.each(['pt_BR', 'pt-BR'])('uses translations of a language and country for %s', async (code) => {
  expect(await read(code)).toEqual({ ...PLAIN, own: ['Níveis', ...PLAIN.own.slice(1)], tag: ['água', 'água'] });
});

it.each([null, 'fr', 'pt', '', 'd', 'de;', '__proto__', 'constructor', `de${'-x'.repeat(4)}`, 'x'.repeat(10_000)])(
  'returns the original texts for %p',
  async (code) => {
    expect(await read(code)).toEqual(PLAIN);
  },
);

it('reads the terms of the dataset in one statement, and those of linked objects in another', async () => {
  const statements = await world.statementsOf(() => read('de'));
  expect(statements.filter((it) => it.includes('term_translation'))).toHaveLength(2);
  const without = await world.statementsOf(() => read(null));
  expect(without.filter((it) => it.includes('term_translation'))).toHaveLength(0);
});
