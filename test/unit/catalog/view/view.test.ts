import { describe, expect, it } from '@jest/globals';
import { mayChangeViews, mayClearViews } from '../../../../src/catalog/view/view.policy.ts';
import { checkFields, checkType, defaultTypes, newOrder, shows } from '../../../../src/catalog/view/view.rules.ts';
import { VIEW_TYPES } from '../../../../src/catalog/view/view-types.ts';
import { type Actor, anonymous, type Capacity } from '../../../../src/kernel/call.ts';
import { settingsForTests } from '../../../../src/kernel/config.ts';

const type = (name: string) => VIEW_TYPES.get(name)!;
const resource = (format: string, inDatastore = false) => ({ id: 'r', format, inDatastore });

describe('policy', () => {
  const dataset = { id: 'd', state: 'active', private: false, ownerOrganizationId: 'o', creatorId: null };
  const open = settingsForTests({
    'catalog.auth.anon_create_dataset': true,
    'catalog.auth.create_unowned_dataset': true,
    'catalog.auth.create_dataset_if_not_in_organization': true,
  });
  const user = (capacity?: Capacity): Actor => ({
    ...anonymous('test'),
    userId: 'u',
    name: 'jo',
    capacities: new Map(capacity ? [['o', capacity]] : []),
  });

  it('lets only users who may change the dataset change its views', () => {
    expect(mayChangeViews(user('editor'), dataset, open, 'edit resource r')).toBeNull();
    expect(mayChangeViews(user('member'), dataset, open, 'edit resource r')).toBe(
      'User jo not authorized to edit resource r',
    );
    expect(mayChangeViews(user(), dataset, open, 'edit resource r')).not.toBeNull();
  });

  it('requires sign-in even where anonymous callers may change the dataset', () => {
    expect(mayChangeViews(anonymous('x'), { ...dataset, ownerOrganizationId: null }, open, 'x')).toMatch(/sign in/);
  });

  it('lets only system administrators clear views', () => {
    expect(mayClearViews(user('admin'))).not.toBeNull();
    expect(mayClearViews({ ...user(), sysadmin: true })).toBeNull();
  });
});

describe('view types for a resource', () => {
  it.each([
    ['recline_view', 'CSV', false, true],
    ['recline_view', 'PDF', false, false],
    ['recline_view', 'PDF', true, true],
    ['recline_grid_view', 'CSV', false, false],
    ['recline_grid_view', '', true, true],
    ['text_view', 'JSON', false, true],
    ['image_view', 'Png', false, true],
    ['image_view', '', false, false],
    ['webpage_view', '', false, true],
  ])('%s, a %s (in the DataStore: %s): %s', (name, format, inDatastore, expected) => {
    expect(shows(type(name), resource(format, inDatastore))).toBe(expected);
  });

  it('default to the enabled types of the setting, in its order', () => {
    const names = (datastore: boolean) =>
      defaultTypes(
        ['text_view', 'recline_grid_view', 'image_view'],
        ['image_view', 'recline_view', 'bogus', 'text_view', 'recline_grid_view'],
        datastore,
      ).map(({ name }) => name);
    expect(names(false)).toEqual(['image_view', 'text_view']);
    expect(names(true)).toEqual(['recline_grid_view']);
  });
});

describe('fields', () => {
  const messages = (name: string, given: unknown) =>
    checkFields(type(name), given).problems.map(({ path, message }) => `${path.join('.')}: ${message}`);

  it('are converted to their types, and empty ones omitted', () => {
    expect(checkFields(type('image_view'), { image_url: 5 })).toEqual({ fields: { image_url: '5' }, problems: [] });
    expect(checkFields(type('image_view'), { image_url: '' }).fields).toEqual({});
    expect(
      checkFields(type('recline_map_view'), {
        map_field_type: 'geojson',
        auto_zoom: 'True',
        limit: '10',
        filter_fields: 'a',
        filter_values: ['b'],
      }),
    ).toEqual({
      fields: { map_field_type: 'geojson', auto_zoom: true, limit: 10, filter_fields: ['a'], filter_values: ['b'] },
      problems: [],
    });
  });

  it('are refused by name, with all problems at once', () => {
    expect(
      messages('recline_map_view', { limit: -1, auto_zoom: 'x', geojson_field: {}, filter_fields: ['a'], other: 1 }),
    ).toEqual([
      'fields.limit: Must be a natural number',
      'fields.map_field_type: Missing value',
      'fields.geojson_field: Must be a string',
      'fields.auto_zoom: Must be true or false',
      'fields.other: The input field other was not expected.',
      'fields.filter_values: Must have one value for each of filter_fields',
    ]);
    expect(messages('image_view', [])).toEqual(['fields: Must be an object']);
  });

  it.each(['javascript:alert(1)', ' java\nscript:alert(1)', 'data:text/html,x', 'ftp://x', ['x']])(
    'refuse %j as a URL',
    (url) => expect(messages('webpage_view', { page_url: url })).toHaveLength(1),
  );
});

it('refuses unknown and disabled view types', () => {
  expect(checkType('image_view', ['image_view'])).toEqual([]);
  expect(checkType('image_view', [])[0]?.message).toBe('No plugin found for view_type image_view');
  expect(checkType('datastore', ['datastore'])).toHaveLength(1);
});

it('puts the named views first in a new order', () => {
  expect(newOrder(['c'], ['a', 'b', 'c'])).toEqual({ order: ['c', 'a', 'b'], problems: [] });
  expect(newOrder(['a', 'a'], ['a']).problems).toHaveLength(1);
  expect(newOrder(['x'], ['a']).problems[0]?.message).toContain('x');
});
