/** The level of CKAN that the Action API speaks, and the single settings that the level presets: a part of the table in settings.ts. */
import { oneOf, type Setting } from './settingTypes.ts';

const LEVEL = 'catalog.action_api.level';

/** A setting that the level presets: the first option is that of level 2.4, the second that of level 2.11. */
const byLevel = <const O extends string>(options: readonly [O, O], description: string): Setting<O> =>
  oneOf(options, (others) => options[others[LEVEL] === '2.11' ? 1 : 0], description, {
    defaultText: `${options[0]}; ${options[1]} at level 2.11`,
  });

export const ACTION_SETTINGS = {
  [LEVEL]: oneOf(
    ['2.4', '2.11'],
    '2.4',
    'Version of CKAN whose clients the Action API suits: `2.4` is the recorded contract, `2.11` suits clients of CKAN 2.9 and later. It only sets defaults: those of the settings below and of `catalog.resources.url_optional`. A value given for one of them wins.',
  ),
  'catalog.action_api.status': byLevel(
    ['contract', 'http'],
    'HTTP status of Action API answers: `contract` answers 200 to whatever carries the envelope; `http` answers 403, 404, 409 … for refusals.',
  ),
  'catalog.action_api.forms': byLevel(
    ['refuse', 'read'],
    'Form-encoded POSTs (`application/x-www-form-urlencoded`) to the Action API: `read` takes their fields as parameters. JSON sent under that type is read in both cases.',
  ),
  'catalog.action_api.exact_numbers': byLevel(
    ['text', 'number'],
    'JSON form of exact numbers (`int8`, `numeric`) in `datastore_search`, `datastore_search_sql` and JSON dumps. A `number` keeps all its digits on the wire, and some clients round it.',
  ),
  'catalog.action_api.empty_numbers': byLevel(
    ['refuse', 'null'],
    'Meaning of `""` in a record where the field takes numbers, dates or other values that cannot be empty: `null` writes null. It counts for records written on `/graphql` too.',
  ),
  'catalog.action_api.file_fields': byLevel(
    ['leave', 'fill'],
    '`size` and `mimetype` of a resource whose file comes by `resource_create`, `resource_update` or `resource_patch`: `fill` takes them from the file, `leave` leaves them as the caller gives them. A `mimetype` that the caller gives wins. Files that come by `package_revise` or on `/graphql` fill them in both cases.',
  ),
  'catalog.action_api.memberships': byLevel(
    ['admin', 'all'],
    'Organizations that `organization_list_for_user` lists when the caller gives no `permission`: those the caller administers, or all in which the caller has a capacity. With `all` each one shows the `capacity`.',
  ),
  'catalog.action_api.autocomplete': byLevel(
    ['start', 'anywhere'],
    'Part of a name or title that `package_autocomplete` matches; `/api/util/dataset/autocomplete` and `datasetSuggestions` match the same part. A text without three letters or digits in a row matches at the start only.',
  ),
} as const satisfies Record<string, Setting<never> | Setting<any>>;

/** The level in one line, with the single settings that differ from its presets. */
export function describeLevel(settings: Readonly<Record<keyof typeof ACTION_SETTINGS, string>>): string {
  const level = settings[LEVEL];
  const preset = (name: keyof typeof ACTION_SETTINGS): unknown => {
    const { default: value } = ACTION_SETTINGS[name];
    return typeof value === 'function' ? value(settings) : level;
  };
  const others = (Object.keys(ACTION_SETTINGS) as (keyof typeof ACTION_SETTINGS)[])
    .filter((name) => settings[name] !== preset(name))
    .map((name) => `${name}: ${settings[name]}`);
  const suits = level === '2.4' ? 'suits clients of CKAN 2.4' : 'suits clients of CKAN 2.9 and later';
  return `level ${level}, ${suits} (${LEVEL})${others.length > 0 ? `; with ${others.join(', ')}` : ''}`;
}
