/**
 * Generates a deterministic catalog: organizations, groups, and datasets as input of `package_create`. Dataset i depends on i only, so
 * 1,000 datasets are the first of 10,000. As in real portals, a dataset has 2 to 5 resources, a few tags and extras, and about 3.4 kB of
 * JSON.
 */
import { FORMATS, FORMS, LICENSES, OFFICES, PEOPLE, PLACES, SENTENCES, TAGS, TOPICS } from './words.mjs';

/** Increase it with every change of the generated data: catalogs of another version are loaded again. */
export const VERSION = 1;

export const organizations = Array.from({ length: 40 }, (_, i) => {
  const random = randomOf(`organization ${i}`);
  const title = random.pick(OFFICES).replace('{}', i % 2 ? capital(random.pick(TOPICS)) : random.pick(PLACES));
  return {
    id: random.uuid(),
    name: `${slug(title)}-${i}`,
    title,
    description: `${title} publishes data on ${random.pick(TOPICS)}. ${random.pick(SENTENCES)}`,
    image_url: `https://images.example.org/${i}.png`,
  };
});

export const groups = Array.from({ length: 60 }, (_, i) => {
  const random = randomOf(`group ${i}`);
  const title = capital(TOPICS[i * 2]);
  return { id: random.uuid(), name: `theme-${slug(title)}`, title, description: random.pick(SENTENCES), image_url: '' };
});

/** Dataset i of the catalog, with its own ids. */
export function dataset(i) {
  const random = randomOf(`dataset ${i}`);
  const [topic, place] = [random.pick(TOPICS), random.pick(PLACES)];
  const title = `${capital(topic)} ${random.pick(FORMS)}, ${place} ${random.int(1998, 2025)}`;
  const owner = random.skewed(organizations);
  const author = random.pick(PEOPLE);
  return {
    id: random.uuid(),
    name: `${slug(title)}-${i}`,
    title,
    notes: notes(random, topic, place),
    url: `https://data.example.org/${owner.name}/${slug(topic)}`,
    author,
    author_email: `${slug(author)}@example.org`,
    version: random.chance(0.3) ? `${random.int(1, 4)}.${random.int(0, 9)}` : null,
    license_id: random.pick(LICENSES),
    owner_org: owner.id,
    private: random.chance(0.05),
    tags: random.some(TAGS, random.int(1, 5)).map((name) => ({ name })),
    groups: random.some(groups, random.int(0, 1)).map(({ name }) => ({ name })),
    extras: extras(random, place),
    resources: Array.from({ length: random.skewed([2, 2, 3, 4, 5]) }, (_, j) =>
      resource(random, topic, place, `${i}-${j}`),
    ),
  };
}

/** A dataset as created in a form: 3 resources, 5 tags, some extras. `name` must be new. */
export function formDataset(name) {
  const random = randomOf(name);
  const [topic, place] = [random.pick(TOPICS), random.pick(PLACES)];
  return {
    name,
    title: `${capital(topic)}, ${place}`,
    notes: notes(random, topic, place),
    author: random.pick(PEOPLE),
    license_id: 'cc-by',
    owner_org: random.pick(organizations).name,
    tags: random.some(TAGS, 5).map((tag) => ({ name: tag })),
    groups: [{ name: random.pick(groups).name }],
    extras: extras(random, place),
    resources: [0, 1, 2].map((j) => {
      const { id: _made, ...fields } = resource(random, topic, place, `${name}-${j}`);
      return fields;
    }),
  };
}

/** A resource for an existing dataset. */
export function formResource(name) {
  const random = randomOf(name);
  const { id: _made, ...fields } = resource(random, random.pick(TOPICS), random.pick(PLACES), name);
  return fields;
}

function extras(random, place) {
  const year = random.int(1998, 2024);
  return [
    { key: 'access_rights', value: 'public' },
    { key: 'contact_name', value: random.pick(PEOPLE) },
    { key: 'issued', value: `${year}-0${random.int(1, 9)}-1${random.int(0, 9)}` },
    { key: 'spatial_text', value: place },
    { key: 'temporal_start', value: `${year}-01-01` },
    { key: 'theme', value: JSON.stringify([slug(random.pick(TOPICS))]) },
  ].slice(random.int(0, 2), random.int(2, 6));
}

function resource(random, topic, place, name) {
  const [format, mimetype, ending] = random.pick(FORMATS);
  return {
    id: random.uuid(),
    name: `${capital(topic)} ${random.int(1998, 2025)} (${format})`,
    url: `https://files.example.org/${slug(place)}/${slug(topic)}-${name}${ending}`,
    description: random.chance(0.6) ? random.pick(SENTENCES) : '',
    format,
    mimetype,
    ...(random.chance(0.5) && { size: random.int(900, 90_000_000) }),
    ...(random.chance(0.5) && {
      last_modified: `20${random.int(10, 25)}-0${random.int(1, 9)}-1${random.int(0, 9)}T08:30:00`,
    }),
  };
}

function notes(random, topic, place) {
  const first = `This dataset holds **${topic}** of ${place}, together with ${random.pick(TOPICS)}.`;
  const paragraphs = Array.from({ length: random.int(1, 2) }, () => random.some(SENTENCES, random.int(1, 3)).join(' '));
  return [first, ...paragraphs].join('\n\n');
}

/** Random choices that depend on `seed` only (Mulberry32 over an FNV hash). */
export function randomOf(seed) {
  let state = 0x811c9dc5;
  for (const char of seed) state = Math.imul(state ^ char.codePointAt(0), 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (least, most) => least + Math.floor(next() * (most - least + 1));
  const hex = (digits) => Array.from({ length: digits }, () => int(0, 15).toString(16)).join('');
  return {
    int,
    chance: (share) => next() < share,
    pick: (list) => list[int(0, list.length - 1)],
    /** Skewed towards the start of the list, like the sizes of publishers. */
    skewed: (list) => list[Math.floor(next() ** 2 * list.length)],
    /** `count` different items, in the list's order. */
    some: (list, count) => {
      const chosen = new Set();
      while (chosen.size < count) chosen.add(int(0, list.length - 1));
      return [...chosen].sort((a, b) => a - b).map((index) => list[index]);
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function slug(text) {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o');
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
