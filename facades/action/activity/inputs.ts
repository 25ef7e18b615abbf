/** Readers of the activity actions' own wire forms. */
import type { ActivityType } from '../../../src/generated/operations.ts';
import { invalid } from '../../../src/kernel/errors.ts';
import { TYPES } from '../../shared/wire/activity.ts';
import { jsonIn } from '../../shared/wire/readers.ts';
import { asText, int, type Param } from '../params.ts';

/** How many, or how many to leave out: as `int`, but an empty text is no number, as recorded. */
const natural = (about: string): Param<number | undefined> => ({
  ...int(about),
  read(raw, name) {
    if (raw === '') throw invalid([{ path: [name], message: 'Must be a natural number' }]);
    return int(about).read(raw, name);
  },
});

/** Parameters of every stream. A limit of 0 is the site's limit, as recorded. */
export const page = {
  limit: natural('Activities at most; `catalog.activity_list_limit` (31 by default) when left out or 0.'),
  offset: natural('How many of the newest to leave out; 0 when left out.'),
};

/** What happened, as a word of the wire. @throws CatalogError VALIDATION */
export const activityType = (about: string): Param<ActivityType> => ({
  type: 'string',
  required: true,
  about,
  read(raw, name) {
    if (raw === undefined || raw === null || raw === '') throw invalid([{ path: [name], message: 'Missing value' }]);
    const found = Object.entries(TYPES).find(([, word]) => word === asText(raw));
    if (!found) throw invalid([{ path: [name], message: 'Not found: Activity type' }]);
    return found[0] as ActivityType;
  },
});

/** A dictionary, or the JSON text of one; what it must be is the catalog's to say. */
export const dictionary = (about: string): Param<unknown> => ({
  type: 'dictionary',
  required: false,
  about,
  read(raw) {
    if (typeof raw !== 'string') return raw ?? undefined;
    try {
      return raw === '' ? undefined : jsonIn(raw);
    } catch {
      return raw;
    }
  },
});
