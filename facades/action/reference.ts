/** Actions that are not in the table, for docs/actions.md; a house test compares with the actions of the reference. */

/** Not offered, and why. */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  datastore_search_htsql:
    'the HTSQL extension is no part of this service (ruling 10); datastore_search_sql joins tables too.',
};

/** Of the reference, and not built yet: what they wait for. A house test refuses names that are in the table. */
export const NOT_YET: Readonly<Record<string, string>> = {};
