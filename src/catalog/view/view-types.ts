/** View types, named as in CKAN and its common extensions. `catalog.plugins` enables a type by its name. */

/** A field of one view type. */
export interface ViewField {
  readonly name: string;
  readonly kind: 'TEXT' | 'ADDRESS' | 'COUNT' | 'FLAG' | 'CHOICE' | 'TEXTS';
  readonly required?: true;
  /** Values of a CHOICE field. */
  readonly options?: readonly string[];
  readonly about: string;
}

export interface ViewType {
  readonly name: string;
  /** Title of the type where users choose one. */
  readonly title: string;
  /** Title of a default view. */
  readonly defaultTitle: string;
  /** Name of a Font Awesome icon. */
  readonly icon: string;
  /** Resource formats that the type shows, in lower case; null for all. */
  readonly formats: readonly string[] | null;
  /** Shows only DataStore tables. */
  readonly requiresDatastore: boolean;
  /** Supports `filter_fields` and `filter_values`. */
  readonly filterable: boolean;
  readonly fields: readonly ViewField[];
}

const FILTERS: readonly ViewField[] = [
  { name: 'filter_fields', kind: 'TEXTS', about: 'Columns to filter by.' },
  { name: 'filter_values', kind: 'TEXTS', about: 'A value for each column in `filter_fields`.' },
];
const RANGE: readonly ViewField[] = [
  { name: 'offset', kind: 'COUNT', about: 'Rows to leave out at the beginning.' },
  { name: 'limit', kind: 'COUNT', about: 'Rows to show, at most.' },
];
const address = (name: string, about: string): ViewField => ({ name, kind: 'ADDRESS', about });

type TypeDeclaration = Pick<ViewType, 'name' | 'title' | 'icon'> & Partial<ViewType>;

const viewType = ({ fields = [], ...declaration }: TypeDeclaration): ViewType => ({
  defaultTitle: declaration.title,
  formats: null,
  requiresDatastore: false,
  filterable: false,
  ...declaration,
  fields: declaration.filterable ? [...fields, ...FILTERS] : fields,
});

/** By name, in the order of the list. */
export const VIEW_TYPES: ReadonlyMap<string, ViewType> = new Map(
  [
    viewType({
      name: 'recline_view',
      title: 'Data Explorer',
      icon: 'table',
      formats: ['csv', 'xls', 'xlsx', 'tsv'],
    }),
    viewType({
      name: 'recline_grid_view',
      title: 'Grid',
      icon: 'table',
      requiresDatastore: true,
      filterable: true,
      fields: RANGE,
    }),
    viewType({
      name: 'recline_graph_view',
      title: 'Graph',
      icon: 'bar-chart',
      requiresDatastore: true,
      filterable: true,
      fields: [
        ...RANGE,
        {
          name: 'graph_type',
          kind: 'CHOICE',
          options: ['lines-and-points', 'lines', 'points', 'bars', 'columns'],
          about: 'How values are drawn.',
        },
        { name: 'group', kind: 'TEXT', about: 'Column of the first axis.' },
        { name: 'series', kind: 'TEXTS', about: 'Columns of the second axis.' },
      ],
    }),
    viewType({
      name: 'recline_map_view',
      title: 'Map',
      icon: 'map-marker',
      requiresDatastore: true,
      filterable: true,
      fields: [
        ...RANGE,
        {
          name: 'map_field_type',
          kind: 'CHOICE',
          options: ['lat_long', 'geojson'],
          required: true,
          about: 'How places are written.',
        },
        { name: 'latitude_field', kind: 'TEXT', about: 'Column of latitudes, with `lat_long`.' },
        { name: 'longitude_field', kind: 'TEXT', about: 'Column of longitudes, with `lat_long`.' },
        { name: 'geojson_field', kind: 'TEXT', about: 'Column of GeoJSON, with `geojson`.' },
        { name: 'auto_zoom', kind: 'FLAG', about: 'Zoom to what is shown.' },
        { name: 'cluster_markers', kind: 'FLAG', about: 'Draw near places as one.' },
      ],
    }),
    viewType({
      name: 'datatables_view',
      title: 'Table',
      icon: 'table',
      requiresDatastore: true,
      filterable: true,
      fields: [
        { name: 'responsive', kind: 'FLAG', about: 'Fold columns that do not fit.' },
        { name: 'ellipsis_length', kind: 'COUNT', about: 'Characters of a cell to show, at most.' },
        { name: 'date_format', kind: 'TEXT', about: 'How dates are written.' },
        { name: 'state_saving', kind: 'FLAG', about: 'Remember how the table was left.' },
        { name: 'state_duration', kind: 'COUNT', about: 'Seconds to remember it.' },
        { name: 'show_fields', kind: 'TEXTS', about: 'Columns to show; all when left out.' },
      ],
    }),
    viewType({
      name: 'text_view',
      title: 'Text',
      icon: 'file-text-alt',
      formats: [
        'txt',
        'text/plain',
        'plain',
        'json',
        'jsonp',
        'geojson',
        'xml',
        'rdf',
        'rdf+xml',
        'owl+xml',
        'atom',
        'rss',
      ],
    }),
    viewType({
      name: 'image_view',
      title: 'Image',
      icon: 'picture',
      formats: ['png', 'jpeg', 'jpg', 'gif', 'svg', 'webp', 'avif'],
      fields: [address('image_url', "Address of the image; the resource's own when left out.")],
    }),
    viewType({
      name: 'webpage_view',
      title: 'Website',
      icon: 'link',
      fields: [address('page_url', "Address of the page; the resource's own when left out.")],
    }),
    viewType({
      name: 'pdf_view',
      title: 'PDF',
      icon: 'file-text',
      formats: ['pdf', 'x-pdf', 'acrobat', 'vnd.pdf'],
      fields: [address('pdf_url', "Address of the document; the resource's own when left out.")],
    }),
    viewType({
      name: 'audio_view',
      title: 'Audio',
      icon: 'file-audio-o',
      formats: ['wav', 'ogg', 'mp3', 'flac', 'm4a'],
      fields: [address('audio_url', "Address of the sound; the resource's own when left out.")],
    }),
    viewType({
      name: 'video_view',
      title: 'Video',
      icon: 'file-video-o',
      formats: ['mp4', 'ogv', 'webm'],
      fields: [
        address('video_url', "Address of the film; the resource's own when left out."),
        address('video_url_poster', 'Address of the image to show before it plays.'),
      ],
    }),
    viewType({
      name: 'geo_view',
      title: 'Map viewer',
      icon: 'globe',
      formats: ['kml', 'geojson', 'gml', 'wms', 'wfs', 'wmts', 'esrigeojson', 'arcgis_rest'],
      fields: [
        { name: 'feature_hoveron', kind: 'FLAG', about: "Show a place's properties under the pointer." },
        { name: 'feature_style', kind: 'TEXT', about: 'How places are drawn, as JSON.' },
      ],
    }),
    viewType({ name: 'geojson_view', title: 'GeoJSON', icon: 'map-marker', formats: ['geojson'] }),
    viewType({ name: 'shp_view', title: 'Shapefile', icon: 'map-marker', formats: ['shp'] }),
    viewType({ name: 'wmts_view', title: 'WMTS', icon: 'map-marker', formats: ['wmts'] }),
  ].map((type) => [type.name, type]),
);
