/** The settings of plugins, views and previews: a part of the table in settings.ts. */
import { list, type Setting, text, textOrNull } from './settings.types.ts';

export const PREVIEW_SETTINGS = {
  'catalog.plugins': list(
    ['datastore', 'text_view', 'image_view', 'recline_view', 'webpage_view'],
    'Enabled plugins. `status_show` lists all of them as `extensions`, even if a plugin has no actions yet. A kind of view is enabled by its name.',
  ),
  'catalog.views.default_views': list(
    ['image_view', 'text_view', 'recline_view'],
    'Kinds of views that resources get automatically, if the kind is enabled and can present the resource.',
  ),
  'catalog.views.embedding': list(
    ['*'],
    'Sites that may show previews of public datasets in frames: `*` for all, or URLs such as `https://news.example`. An empty list: none. Other pages of the catalog are never shown in frames.',
    {
      pattern: [
        /^(\*|https?:\/\/[A-Za-z0-9*.[\]:_-]+)$/,
        'a list of `*` or URLs without a path, such as https://news.example',
      ],
    },
  ),
  'catalog.maps.tiles': textOrNull(
    'URL template of raster tiles for the background of maps, such as `https://tile.example/{z}/{x}/{y}.png`. The browsers of visitors request them from that host. Default: maps have no background, and no other host is contacted.',
    {
      pattern: [
        /^https?:\/\/[A-Za-z0-9.:-]+\/[^\s"'<>;,]*$/,
        'a URL that starts with https:// or http://, with {z}, {x} and {y}',
      ],
    },
  ),
  'catalog.maps.attribution': text('', 'Credit of the tiles, which maps show as text.'),
} as const satisfies Record<string, Setting<unknown>>;
