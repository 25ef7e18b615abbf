/** Handlers by kind of job: one line per kind. */
import { LOAD } from '../loading/ask/ask.service.ts';
import { indexWords, loadFailed, loadTable, WORDS } from '../loading/table/load.service.ts';
import type { JobKinds } from './kinds.ts';

export const jobKinds: JobKinds = {
  [LOAD]: { run: loadTable, failed: loadFailed },
  [WORDS]: { run: indexWords },
};
