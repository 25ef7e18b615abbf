import type { TablesReport } from '../datastore/sweep.service.ts';

/** What a look through the tables found, a line each. */
export const linesOf = ({ missing, orphans }: TablesReport): string[] => [
  ...missing.map((id) => `missing: the table of resource ${id}`),
  ...orphans.map((name) => `no resource: ${name}`),
];
