/** Parameter readers of the activity actions. */
import type { ActivityType } from '../../../src/generated/operations.ts';
import { invalidField } from '../../../src/kernel/errors.ts';
import { jsonIn } from '../../../src/records/form/readers.ts';
import { TYPES } from '../../shared/wire/activity.ts';
import { absent, asText, int, type Param } from '../params.ts';

/** Limit or offset: like `int`, but the contract treats an empty text as invalid. */
const natural = (about: string): Param<number | undefined> => ({
  ...int(about),
  read(raw, name) {
    if (raw === '') throw invalidField(name, 'Must be a natural number');
    return int(about).read(raw, name);
  },
});

/** Parameters of every activity stream. By the contract, a limit of 0 means the site's limit. */
export const page = {
  limit: natural('Maximum number of activities. Default, and for 0: `catalog.activity_list_limit` (31).'),
  offset: natural('Number of newest activities to skip. Default: 0.'),
};

/** An activity type by its wire name. @throws CatalogError VALIDATION */
export const activityType = (about: string): Param<ActivityType> => ({
  type: 'string',
  required: true,
  about,
  read(raw, name) {
    if (absent(raw)) throw invalidField(name, 'Missing value');
    const found = Object.entries(TYPES).find(([, word]) => word === asText(raw));
    if (!found) throw invalidField(name, 'Not found: Activity type');
    return found[0] as ActivityType;
  },
});

/** A dictionary, or its JSON text. The catalog validates it. */
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
