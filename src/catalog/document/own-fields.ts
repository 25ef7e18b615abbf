/** Selects a dataset's own fields from its document, for the log and for activities. Pure. */
import { DERIVED_KEYS } from '../../kernel/dataset-fields.ts';
import type { DatasetBody } from './record.ts';

const NOT_OWN: ReadonlySet<string> = new Set(DERIVED_KEYS);

/** The document without lists and derived keys. */
export const ownFields = (body: DatasetBody): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([key]) => !NOT_OWN.has(key)));
