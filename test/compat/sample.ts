/** The sample of real metadata (real/PROVENANCE.md) and the expected datasets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/kernel/root.ts';

export const SAMPLE = join(projectRoot, 'test/compat/real/tokyo-sample.jsonl');

/** An organization or group as a dataset embeds it. */
export interface Embedded {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly name: string;
  readonly title: string;
}

export interface Dataset {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly name: string;
  readonly organization: Embedded;
  readonly groups: readonly Embedded[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
}

/** Every record, in the file's order. */
export const readSample = (): Dataset[] =>
  readFileSync(SAMPLE, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Dataset);

/**
 * The datasets expected after the import. Six names occur twice with different ids, because the source recreated them between two readings.
 * The second record is a conflict, unless `replaced`: then it replaces the first one and keeps that id.
 */
export function expectedDatasets(records: readonly Dataset[], replaced = false): Dataset[] {
  const datasets = new Map<string, Dataset>();
  for (const record of records) {
    const id = datasets.get(record.name)?.id ?? record.id;
    if (id !== record.id && !replaced) continue;
    datasets.set(record.name, {
      ...record,
      id,
      resources: record.resources.map((resource) => ({ ...resource, package_id: id })),
    });
  }
  return [...datasets.values()];
}

/** Organizations and groups that the datasets embed, once each. */
export function embedded(records: readonly Dataset[]): { organizations: Embedded[]; groups: Embedded[] } {
  const organizations = new Map(records.map(({ organization }) => [organization.id, organization]));
  const groups = new Map(
    records
      .flatMap(({ groups }) => groups)
      .map((group) => [group.id, { ...group, image_url: group.image_display_url }]),
  );
  return { organizations: [...organizations.values()], groups: [...groups.values()] };
}
