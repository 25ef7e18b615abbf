import { LICENSES, type LicenseRecord, RECOGNIZED } from './license.data.ts';

/** Offered licenses, and those that imports recognize. */
const byId = new Map([...LICENSES, ...RECOGNIZED].map((license) => [license.id, license]));
const shown = new Map(
  [...byId].map(
    ([id, { title, url, openDefinition }]) => [id, { title, url, isOpen: openDefinition === 'approved' }] as const,
  ),
);

/** The offered licenses, in the catalog's order, for everyone. */
export const licenseList = (): readonly LicenseRecord[] => LICENSES;

/** A license by its id. Null for an unknown one. */
export const licenseRecord = (id: string | null): LicenseRecord | null => (id === null ? null : (byId.get(id) ?? null));

/**
 * The license facts that a dataset shows; null for no license and for unknown ids, which datasets may carry. `url` is
 * empty for kinds of licenses. Ids are case-sensitive.
 */
export const findLicense = (id: string | null): { title: string; url: string; isOpen: boolean } | null =>
  id === null ? null : (shown.get(id) ?? null);
