import type { TablesReport } from '../datastore/tables/sweep.service.ts';

/** The result of a check of tables, one line each. */
export const linesOf = ({ missing, orphans, elsewhere }: TablesReport): string[] => [
  ...missing.map((id) => `missing: the table of resource ${id}`),
  ...elsewhere.map(({ resourceId, message }) => `not copied: the table of resource ${resourceId}: ${message}`),
  ...orphans.map((name) => `no resource: ${name}`),
];
