/** The settings of link checks: a part of the table in settings.ts. */
import { int, type Setting, text } from './settings.types.ts';

export const LINK_SETTINGS = {
  'catalog.links.interval': int(
    7,
    0,
    365,
    'Days between two checks of a link of a resource. 0: links are not checked ([links](links.md)).',
  ),
  'catalog.links.delay': int(
    15,
    0,
    10_080,
    'Minimum time (min) until the first check of a new or changed link. Checks are spread over as many minutes after that.',
  ),
  'catalog.links.hosts': int(
    8,
    0,
    100,
    'Maximum number of hosts whose links one process checks at the same time. 0: this process checks no links.',
  ),
  'catalog.links.pause': int(
    1_000,
    0,
    3_600_000,
    'Pause (ms) between two requests to the same host, over all processes. Requests to one host never run at the same time.',
  ),
  'catalog.links.timeout': int(20, 1, 300, 'Timeout (s) for the response to a request of a link check.'),
  'catalog.links.failures': int(
    3,
    1,
    100,
    'Failed checks in a row, such as timeouts, after which a link counts as broken.',
  ),
  'catalog.links.user_agent': {
    ...text(
      '',
      'User agent of link checks. It should name an address for questions. `robots.txt` files name the part before the first space or slash.',
      {
        min: 1,
        max: 200,
        pattern: [/^[\x21-\x7e][\x20-\x7e]*$/, 'a line of ASCII text'],
      },
    ),
    default: (others: Readonly<Record<string, unknown>>) => `catalog-link-checker (+${others['catalog.site_url']})`,
    defaultText: 'catalog-link-checker (+<catalog.site_url>)',
  },
} as const satisfies Record<string, Setting<never> | Setting<any>>;
