/** Actions of the reference that are not in the table, for docs/actions.md. A house test compares them with the reference. */

/** Actions that are not offered, with the reason. */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  datastore_search_htsql:
    'the HTSQL extension is not part of this service (ruling 10). Use datastore_search_sql, which can join tables.',
};

/** Actions of the reference not built yet, with the reason. A house test refuses names that are in the table. */
export const NOT_YET: Readonly<Record<string, string>> = {};
