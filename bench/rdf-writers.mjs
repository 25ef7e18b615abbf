/**
 * Compares the linked-data writers with the serializers of rdf-ext's family (docs/decisions/0026): CPU per dataset, and memory of a feed.
 * `node --expose-gc bench/rdf-writers.mjs <file of datasets, one JSON object a line>`; needs `npm run build`.
 */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import plain from '@rdfjs/formats';
import pretty from '@rdfjs/formats/pretty.js';

const { Graph } = await import('../dist/facades/rdf/graph.js');
const { addDataset, TABLES } = await import('../dist/facades/rdf/tables/index.js');
const { WRITERS } = await import('../dist/facades/rdf/formats.js');
const { documentOf, ALL_PREFIXES } = await import('../dist/facades/rdf/write/writer.js');
const { iri } = await import('../dist/facades/rdf/terms.js');
const { NAMESPACES } = await import('../dist/src/kernel/namespaces.js');

const ROUNDS = 5;
const FEED = 1_000;
const site = { siteUrl: 'https://data.example.org', tables: TABLES };
const documents = readFileSync(process.argv[2], 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

const graphOf = (document, labels) => {
  const graph = new Graph([], labels);
  addDataset(graph, document, site);
  return graph;
};

const MEDIA = { ttl: 'text/turtle', nt: 'application/n-triples', jsonld: 'application/ld+json' };
const prefixes = new Map(Object.entries(NAMESPACES).map(([prefix, value]) => [prefix, iri(value)]));
const FAMILY = {
  'ttl, TurtleSerializer': (quads) => pretty.serializers.import(MEDIA.ttl, quads, { prefixes: new Map(prefixes) }),
  'ttl as N-Triples': (quads) => plain.serializers.import(MEDIA.ttl, quads),
  'nt, NTriplesSerializer': (quads) => plain.serializers.import(MEDIA.nt, quads),
  'jsonld, JsonLdSerializer': (quads) => plain.serializers.import(MEDIA.jsonld, quads),
  'jsonld, PrettyJsonLdSerializer': (quads) =>
    pretty.serializers.import(MEDIA.jsonld, quads, { context: NAMESPACES, compact: true, encoding: 'string' }),
};
const textOf = async (stream) => {
  let text = '';
  for await (const chunk of stream)
    text += typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk : JSON.stringify(chunk);
  return text;
};

const OWN = ['ttl', 'nt', 'jsonld', 'rdf'];
/** Name → function that writes one dataset and returns its text. */
const single = {
  mapping: (document) => `${graphOf(document).statements.length}`,
  'mapping and index': (document) => `${graphOf(document).size}`,
  ...Object.fromEntries(
    OWN.map((suffix) => [`${suffix}, own writer`, (it) => documentOf(WRITERS[suffix](), graphOf(it))]),
  ),
  ...Object.fromEntries(
    Object.entries(FAMILY).map(([title, write]) => [
      title,
      (it) => textOf(write(Readable.from(graphOf(it).statements))),
    ]),
  ),
};

const cpu = async (work) => {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, result };
};
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const show = (rows) => console.table(Object.fromEntries(rows));

const times = Object.fromEntries(Object.keys(single).map((title) => [title, []]));
const sizes = {};
for (let round = 0; round <= ROUNDS; round++)
  for (const [title, work] of Object.entries(single)) {
    const { ms, result } = await cpu(async () => {
      let size = 0;
      for (const document of documents) size += (await work(document)).length;
      return size;
    });
    if (round > 0) times[title].push(ms / documents.length);
    sizes[title] = result / documents.length;
  }
const quads = documents.reduce((sum, it) => sum + graphOf(it).size, 0) / documents.length;
console.log(`${documents.length} datasets of ${quads.toFixed(0)} quads, ${ROUNDS} rounds, median`);
show(
  Object.entries(times).map(([title, all]) => [
    title,
    { 'ms of CPU': +median(all).toFixed(3), kB: +(sizes[title] / 1024).toFixed(1) },
  ]),
);

/** Graphs of a feed, built while it is read. Data that a serializer buffers counts as memory. */
function* feedOf(count) {
  for (let i = 0; i < count; i++) {
    if (isSampled && i % 50 === 49) sample();
    yield graphOf(documents[i % documents.length], `d${i}b`);
  }
}
function* statementsOf(count) {
  for (const graph of feedOf(count)) yield* graph.statements;
}
let peak = 0;
let isSampled = false;
function sample() {
  global.gc();
  peak = Math.max(peak, process.memoryUsage().heapUsed);
}
async function drain(chunks) {
  for await (const _ of chunks);
}
const ownFeed = (suffix, count) =>
  Readable.from(
    (function* () {
      const writer = WRITERS[suffix]();
      yield writer.head(ALL_PREFIXES);
      for (const graph of feedOf(count)) yield writer.body(graph);
      yield writer.tail();
    })(),
  );
const feeds = {
  ...Object.fromEntries(OWN.map((suffix) => [`${suffix}, own`, (count) => ownFeed(suffix, count)])),
  ...Object.fromEntries(
    Object.entries(FAMILY).map(([title, write]) => [title, (count) => write(Readable.from(statementsOf(count)))]),
  ),
};
const rows = [];
for (const [title, feed] of Object.entries(feeds)) {
  const row = {};
  await drain(feed(FEED / 4));
  row['ms of CPU a dataset'] = +((await cpu(() => drain(feed(FEED)))).ms / FEED).toFixed(3);
  isSampled = true;
  for (const count of [FEED / 4, FEED]) {
    global.gc();
    const before = process.memoryUsage().heapUsed;
    peak = before;
    await drain(feed(count));
    row[`MiB, ${count} datasets`] = +((peak - before) / 2 ** 20).toFixed(1);
  }
  isSampled = false;
  rows.push([title, row]);
}
show(rows);
