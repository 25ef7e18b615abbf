/** Draws places on a map in the browser. The page has them as a list, too. Runs after MapLibre GL, whose global is `maplibregl`. */

const PADDING = 40;
const MAX_ZOOM = 14;

for (const element of document.querySelectorAll('.map[data-places]'))
  start(element).catch((failure) => fail(element, failure));

function fail(element, failure) {
  console.warn(failure);
  element.textContent = element.dataset.failed;
  element.classList.add('failed');
}

async function start(element) {
  const { places, worker } = element.dataset;
  const answer = await fetch(places);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const data = await answer.json();
  maplibregl.setWorkerUrl(worker);
  const map = new maplibregl.Map({
    container: element,
    style: styleOf(element, data),
    bounds: boundsOf(data.features),
    fitBoundsOptions: { padding: PADDING, maxZoom: MAX_ZOOM },
    cooperativeGestures: true,
    attributionControl: false,
    locale: { 'Map.Title': element.dataset.title },
  });
  map.addControl(new maplibregl.NavigationControl({ showCompass: false }), 'top-right');
  if (element.dataset.attribution)
    map.addControl(new maplibregl.AttributionControl({ customAttribution: textElement(element.dataset.attribution) }));
  await map.once('load');
  addPopups(map, element.dataset.record);
  if (data.isCut) {
    const hint = document.createElement('p');
    hint.className = 'hint';
    hint.textContent = element.dataset.cut;
    element.after(hint);
  }
  element.dataset.ready = String(data.features.length);
}

/** Attributions are shown as HTML, so markup is escaped. */
function textElement(text) {
  const element = document.createElement('span');
  element.textContent = text;
  return element.outerHTML;
}

function styleOf(element, data) {
  const colours = getComputedStyle(element);
  const [paper, accent] = [colours.getPropertyValue('--soft').trim(), colours.getPropertyValue('--accent').trim()];
  const { tiles } = element.dataset;
  const shape = (kinds) => ['in', ['geometry-type'], ['literal', kinds]];
  return {
    version: 8,
    sources: {
      places: { type: 'geojson', data },
      ...(tiles && { tiles: { type: 'raster', tiles: [tiles], tileSize: 256 } }),
    },
    layers: [
      { id: 'background', type: 'background', paint: { 'background-color': paper } },
      ...(tiles ? [{ id: 'tiles', type: 'raster', source: 'tiles' }] : []),
      {
        id: 'areas',
        type: 'fill',
        source: 'places',
        filter: shape(['Polygon', 'MultiPolygon']),
        paint: { 'fill-color': accent, 'fill-opacity': 0.25 },
      },
      {
        id: 'lines',
        type: 'line',
        source: 'places',
        filter: shape(['LineString', 'MultiLineString', 'Polygon', 'MultiPolygon']),
        paint: { 'line-color': accent, 'line-width': 1.5 },
      },
      {
        id: 'points',
        type: 'circle',
        source: 'places',
        filter: shape(['Point', 'MultiPoint']),
        paint: { 'circle-color': accent, 'circle-radius': 5, 'circle-stroke-width': 1, 'circle-stroke-color': paper },
      },
    ],
  };
}

/** Bounds of all positions; the whole earth without any. */
function boundsOf(features) {
  const bounds = new maplibregl.LngLatBounds();
  const add = (coordinates) =>
    typeof coordinates[0] === 'number' ? bounds.extend(coordinates.slice(0, 2)) : coordinates.forEach(add);
  for (const { geometry } of features) add(geometry.coordinates);
  return bounds.isEmpty()
    ? [
        [-170, -60],
        [170, 75],
      ]
    : bounds;
}

function addPopups(map, label) {
  for (const layer of ['points', 'lines', 'areas']) {
    map.on('click', layer, ({ features: [feature], lngLat, originalEvent }) => {
      if (originalEvent.defaultPrevented) return;
      originalEvent.preventDefault();
      new maplibregl.Popup().setLngLat(lngLat).setDOMContent(contentOf(feature.properties, label)).addTo(map);
    });
    map.on('mouseenter', layer, () => {
      map.getCanvas().style.cursor = 'pointer';
    });
    map.on('mouseleave', layer, () => {
      map.getCanvas().style.cursor = '';
    });
  }
}

/** Values of a place, as text. `:href` is the path of its record. */
function contentOf({ ':href': href, ...properties }, label) {
  const list = document.createElement('dl');
  for (const [name, value] of Object.entries(properties)) {
    const [term, words] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = name;
    words.textContent = String(value);
    list.append(term, words);
  }
  const content = document.createElement('div');
  content.append(list);
  if (href) {
    const link = document.createElement('a');
    link.href = href;
    link.textContent = label;
    if (window.top !== window) link.target = '_blank'; // other sites may frame previews only
    content.append(link);
  }
  return content;
}
