/** Links for operators: numbers, and checks of many links. */
import { datasetShow } from '../catalog/dataset/dataset.service.ts';
import type { Call } from '../kernel/call.ts';
import { notAuthorized } from '../kernel/errors.ts';
import { countByVerdict, countDue, type DueCounts, makeDue } from './operate.sql.ts';

export interface LinkStatus extends DueCounts {
  /** By verdict; null: not checked yet. */
  readonly verdicts: readonly { verdict: string | null; count: number }[];
}

function allowOperators({ actor }: Call): void {
  if (!actor.sysadmin) throw notAuthorized('only system administrators may operate link checks');
}

/** @throws CatalogError NOT_AUTHORIZED */
export async function linkStatus(call: Call): Promise<LinkStatus> {
  allowOperators(call);
  const [verdicts, due] = await Promise.all([countByVerdict(call.sql), countDue(call.sql)]);
  return { verdicts, ...due };
}

/** Makes all links due, or those of a dataset. Returns their number. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND */
export async function linksDue(call: Call, dataset: string | null): Promise<number> {
  allowOperators(call);
  const id = dataset === null ? null : (await datasetShow(call, dataset)).id;
  return makeDue(call.sql, id);
}
