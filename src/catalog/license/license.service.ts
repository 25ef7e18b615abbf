import { LICENSES, type LicenseRecord, RECOGNIZED } from './license.data.ts';

const byId = new Map([...LICENSES, ...RECOGNIZED].map((license) => [license.id, license]));
const shown = new Map(
  [...byId].map(
    ([id, { title, url, openDefinition }]) => [id, { title, url, isOpen: openDefinition === 'approved' }] as const,
  ),
);

/** The licenses on offer, in the catalog's order. Everybody may read them. */
export const licenseList = (): readonly LicenseRecord[] => LICENSES;

/**
 * What a dataset shows of its license; null for no license and for ids nobody knows, which datasets may carry.
 * `url` is empty for kinds of licenses. Ids are compared letter by letter, case included.
 */
export const findLicense = (id: string | null): { title: string; url: string; isOpen: boolean } | null =>
  id === null ? null : (shown.get(id) ?? null);
