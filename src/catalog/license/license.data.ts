/** Licenses of this catalog, as facts. The order is that of the list. */

export interface LicenseRecord {
  readonly id: string;
  readonly title: string;
  /** URL of the license text; empty for kinds of licenses. */
  readonly url: string;
  /** `approved` when the license conforms to the Open Definition. */
  readonly openDefinition: 'approved' | 'not reviewed';
  /** Whether the entry is a kind of licenses ("other, not open"), not one text. */
  readonly generic: boolean;
  /** The intended subject: content, data or software. */
  readonly content: boolean;
  readonly data: boolean;
}

const OPEN = { openDefinition: 'approved', generic: false, content: false, data: false } as const;
const CLOSED = { ...OPEN, openDefinition: 'not reviewed' } as const;
const opendefinition = (id: string): string => `http://www.opendefinition.org/licenses/${id}`;

/** Offered by license_list. */
export const LICENSES: readonly LicenseRecord[] = [
  { ...CLOSED, id: 'notspecified', title: 'License not specified', url: '', generic: true },
  {
    ...OPEN,
    id: 'odc-pddl',
    title: 'Open Data Commons Public Domain Dedication and License (PDDL)',
    url: opendefinition('odc-pddl'),
    data: true,
  },
  {
    ...OPEN,
    id: 'odc-odbl',
    title: 'Open Data Commons Open Database License (ODbL)',
    url: opendefinition('odc-odbl'),
    data: true,
  },
  { ...OPEN, id: 'odc-by', title: 'Open Data Commons Attribution License', url: opendefinition('odc-by'), data: true },
  {
    ...OPEN,
    id: 'cc-zero',
    title: 'Creative Commons CCZero',
    url: opendefinition('cc-zero'),
    content: true,
    data: true,
  },
  { ...OPEN, id: 'cc-by', title: 'Creative Commons Attribution', url: opendefinition('cc-by') },
  {
    ...OPEN,
    id: 'cc-by-sa',
    title: 'Creative Commons Attribution Share-Alike',
    url: opendefinition('cc-by-sa'),
    content: true,
  },
  { ...OPEN, id: 'gfdl', title: 'GNU Free Documentation License', url: opendefinition('gfdl'), content: true },
  { ...OPEN, id: 'other-open', title: 'Other (Open)', url: '', generic: true, content: true },
  { ...OPEN, id: 'other-pd', title: 'Other (Public Domain)', url: '', generic: true, content: true },
  { ...OPEN, id: 'other-at', title: 'Other (Attribution)', url: '', generic: true, content: true },
  {
    ...OPEN,
    id: 'uk-ogl',
    title: 'UK Open Government Licence (OGL)',
    url: 'http://reference.data.gov.uk/id/open-government-licence',
    content: true,
  },
  {
    ...CLOSED,
    id: 'cc-nc',
    title: 'Creative Commons Non-Commercial (Any)',
    url: 'http://creativecommons.org/licenses/by-nc/2.0/',
  },
  { ...CLOSED, id: 'other-nc', title: 'Other (Non-Commercial)', url: '', generic: true },
  { ...CLOSED, id: 'other-closed', title: 'Other (Not Open)', url: '', generic: true },
];

const commons = (id: string, title: string, path: string, open: boolean): LicenseRecord => ({
  ...(open ? OPEN : CLOSED),
  id,
  title,
  url: `https://creativecommons.org/${path}/`,
  content: true,
  data: open,
});

/** Not offered, but common in the data of current portals: resolved on datasets that carry them. Ids as SPDX writes them. */
export const RECOGNIZED: readonly LicenseRecord[] = [
  commons('CC0-1.0', 'Creative Commons CC0 1.0 Universal', 'publicdomain/zero/1.0', true),
  commons('CC-BY-4.0', 'Creative Commons Attribution 4.0', 'licenses/by/4.0', true),
  commons('CC-BY-SA-4.0', 'Creative Commons Attribution Share-Alike 4.0', 'licenses/by-sa/4.0', true),
  commons('CC-BY-NC-4.0', 'Creative Commons Attribution Non-Commercial 4.0', 'licenses/by-nc/4.0', false),
  commons(
    'CC-BY-NC-SA-4.0',
    'Creative Commons Attribution Non-Commercial Share-Alike 4.0',
    'licenses/by-nc-sa/4.0',
    false,
  ),
  commons('CC-BY-ND-4.0', 'Creative Commons Attribution No-Derivatives 4.0', 'licenses/by-nd/4.0', false),
  commons(
    'CC-BY-NC-ND-4.0',
    'Creative Commons Attribution Non-Commercial No-Derivatives 4.0',
    'licenses/by-nc-nd/4.0',
    false,
  ),
];
