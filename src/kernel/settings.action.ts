/** The CKAN level of the Action API, and the settings that it presets: a part of the table in settings.ts. */
import { oneOf, type Setting } from './settings.types.ts';

const LEVEL = 'catalog.action_api.level';

/** A setting that the level presets: the first option for level 2.4, the second for level 2.11. */
const byLevel = <const O extends string>(options: readonly [O, O], description: string): Setting<O> =>
  oneOf(options, (others) => options[others[LEVEL] === '2.11' ? 1 : 0], description, {
    defaultText: `${options[0]}; ${options[1]} at level 2.11`,
  });

export const ACTION_SETTINGS = {
  [LEVEL]: oneOf(
    ['2.4', '2.11'],
    '2.4',
    'CKAN version that the Action API is compatible with. `2.4`: the recorded contract. `2.11`: clients of CKAN 2.9 and later. The level only sets the defaults of the settings below and of `catalog.resources.url_optional`. An explicit value takes precedence.',
  ),
  'catalog.action_api.status': byLevel(
    ['contract', 'http'],
    'HTTP status of Action API responses. `contract`: 200 for every response with an envelope. `http`: 403, 404, 409 … for errors.',
  ),
  'catalog.action_api.forms': byLevel(
    ['refuse', 'read'],
    'Handling of form-encoded POST requests (`application/x-www-form-urlencoded`) to the Action API. `read`: the form fields are parameters. `refuse`: they are refused. JSON sent with that type is always read.',
  ),
  'catalog.action_api.exact_numbers': byLevel(
    ['text', 'number'],
    'JSON type of exact numbers (`int8`, `numeric`) in `datastore_search`, `datastore_search_sql` and JSON dumps. With `number`, all digits are sent, but some clients round them.',
  ),
  'catalog.action_api.empty_numbers': byLevel(
    ['refuse', 'null'],
    'Handling of `""` in records, for fields of numbers, dates and other types without an empty value. `null`: null is written. `refuse`: the record is refused. Also applies to `/graphql`.',
  ),
  'catalog.action_api.file_fields': byLevel(
    ['leave', 'fill'],
    'Source of `size` and `mimetype` for a file uploaded by `resource_create`, `resource_update` or `resource_patch`. `fill`: the file; a `mimetype` of the caller takes precedence. `leave`: the caller. Uploads by `package_revise` or `/graphql` always use the file.',
  ),
  'catalog.action_api.memberships': byLevel(
    ['admin', 'all'],
    'Organizations returned by `organization_list_for_user` without a `permission`. `admin`: those of which the caller is an admin. `all`: those in which the caller has a capacity, with the `capacity`.',
  ),
  'catalog.action_api.autocomplete': byLevel(
    ['start', 'anywhere'],
    'Part of a name or title that `package_autocomplete`, `/api/util/dataset/autocomplete` and `datasetSuggestions` match. A text without three consecutive letters or digits always matches at the start only.',
  ),
} as const satisfies Record<string, Setting<never> | Setting<any>>;

/** The level in one line, with the settings that differ from its presets. */
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
