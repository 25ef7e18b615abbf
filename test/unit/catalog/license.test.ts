import { expect, it } from '@jest/globals';
import { findLicense, licenseList } from '../../../src/catalog/license/license.service.ts';

it('returns the title, URL and openness of an offered license', () => {
  expect(findLicense('cc-by')).toEqual({
    title: 'Creative Commons Attribution',
    url: 'http://www.opendefinition.org/licenses/cc-by',
    isOpen: true,
  });
  expect(findLicense('other-closed')).toEqual({ title: 'Other (Not Open)', url: '', isOpen: false });
});

it('finds newer license ids without offering them', () => {
  expect(findLicense('CC-BY-4.0')).toMatchObject({ url: 'https://creativecommons.org/licenses/by/4.0/', isOpen: true });
  expect(findLicense('CC-BY-NC-ND-4.0')).toMatchObject({ isOpen: false });
  expect(licenseList().map((license) => license.id)).not.toContain('CC-BY-4.0');
});

it.each([null, '', 'nope', 'CC-BY', '__proto__', 'constructor'])('answers null for %p', (id) =>
  expect(findLicense(id)).toBeNull(),
);

it('offers every license once', () => {
  const ids = licenseList().map((license) => license.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(15);
});
