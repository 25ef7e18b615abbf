import type { Row } from '../define.ts';
import { datasetRows } from './dataset.ts';
import { groupRows } from './group.ts';
import { registerRows } from './register.ts';
import { relationshipRows } from './relationship.ts';
import { searchRows } from './search.ts';
import { utilRows } from './util.ts';

/** All addresses of the legacy interfaces. */
export const rows: readonly Row[] = [
  ...datasetRows,
  ...groupRows,
  ...relationshipRows,
  ...registerRows,
  ...searchRows,
  ...utilRows,
];
