/** Writers of linked data: other parsers read back the same graph, in every format. */
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import formats from '@rdfjs/formats';
import type { Quad } from '@rdfjs/types';
import rdf from 'rdf-ext';
import { RdfXmlParser } from 'rdfxml-streaming-parser';
import { WRITERS } from '../../../facades/rdf/formats.ts';
import { Graph } from '../../../facades/rdf/graph.ts';
import { factory, iri, literal, type Node, name, type Term, TYPE } from '../../../facades/rdf/terms.ts';
import { isXmlName } from '../../../facades/rdf/write/rdfxml.ts';
import { ALL_PREFIXES, documentOf, Serializer } from '../../../facades/rdf/write/writer.ts';

const MEDIA = {
  ttl: 'text/turtle',
  n3: 'text/n3',
  jsonld: 'application/ld+json',
  nt: 'application/n-triples',
} as const;
const SUFFIXES = ['rdf', 'ttl', 'n3', 'jsonld', 'nt'] as const;

async function read(suffix: (typeof SUFFIXES)[number], text: string): Promise<string> {
  const input = Readable.from([text]);
  const quads = (suffix === 'rdf'
    ? input.pipe(new RdfXmlParser())
    : formats.parsers.import(MEDIA[suffix], input as never)) as unknown as AsyncIterable<Quad>;
  const dataset = rdf.dataset();
  for await (const quad of quads) dataset.add(quad as never);
  return dataset.toCanonical();
}

const canonical = (graph: Iterable<Quad>): string => rdf.dataset([...graph] as never[]).toCanonical();

const written = (suffix: (typeof SUFFIXES)[number], graph: Graph): string => documentOf(WRITERS[suffix](), graph);

const TEXTS = [
  '',
  'plain',
  'two\nlines\r\nand\ttabs\r',
  '<b>&amp; "quotes" \'and\' ]]> </rdf:RDF>',
  'é 漢字 𝄞 \u0085\u2028',
  'back\\slash \\u0041 \\n',
  '"""',
  ' spaces  around ',
  '@en ^^x _:b1 dct:title',
  'control \u0001 and half \ud800',
];

const PREDICATES = [
  name('dct:title'),
  name('rdf:value'),
  iri('http://example.org/a/b-c.d'),
  iri('http://example.org/x#1st_name'),
  iri('urn:example:näme'),
  iri('http://example.org/?q=ab'),
  TYPE,
];

/** Reproducible pseudorandom numbers. */
function numbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}

/** A random graph with cycles, shared and isolated blank nodes, and literals as types. */
function anyGraph(seed: number): Graph {
  const below = numbers(seed);
  const graph = new Graph();
  const nodes: Node[] = [
    ...Array.from({ length: 5 }, () => graph.blank()),
    iri('http://example.org/one'),
    iri('http://example.org/two?a=1&b=<2>'.replace(/[<>]/g, encodeURIComponent)),
    iri('urn:uuid:1'),
    iri("http://example.org/it's_(漢)"),
  ];
  const objects: (() => Term)[] = [
    () => nodes[below(nodes.length)]!,
    () => literal(TEXTS[below(TEXTS.length)]!),
    () => literal(TEXTS[below(TEXTS.length)]!, ['en', 'de-at', 'zh-hant'][below(3)]),
    () => literal('2026-01-01', name('xsd:date')),
    () => literal('x', iri('http://example.org/type<of>'.replace(/[<>]/g, encodeURIComponent))),
    () => name('dcat:Dataset'),
  ];
  for (let i = 0; i < 3 + below(30); i++)
    graph.add(nodes[below(nodes.length)]!, PREDICATES[below(PREDICATES.length)]!, objects[below(objects.length)]!());
  return graph;
}

describe.each(SUFFIXES)('%s', (suffix) => {
  it('reads back any graph unchanged', async () => {
    for (let seed = 1; seed <= 150; seed++) {
      const graph = anyGraph(seed);
      const text = written(suffix, graph);
      expect({ seed, text, read: await read(suffix, text) }).toEqual({ seed, text, read: canonical(graph) });
    }
  });

  it('writes many graphs into one document', async () => {
    const writer = WRITERS[suffix]();
    const graphs = [1, 2, 3].map((i) => {
      const graph = new Graph([], `g${i}b`);
      const node = iri(`http://example.org/${i}`);
      const shared = graph.blank();
      graph.add(node, name('dct:title'), literal(`Number ${i}`));
      graph.add(node, name('dct:license'), shared);
      graph.add(node, name('dct:rights'), shared);
      graph.add(shared, name('rdfs:label'), literal('free'));
      return graph;
    });
    const text = writer.head(ALL_PREFIXES) + graphs.map((graph) => writer.body(graph)).join('') + writer.tail();
    expect(await read(suffix, text)).toBe(canonical(graphs.flatMap((graph) => [...graph])));
    expect(await read(suffix, documentOf(WRITERS[suffix](), new Graph()))).toBe('');
  });

  it('implements an RDF/JS sink', async () => {
    const graph = anyGraph(7);
    let text = '';
    for await (const chunk of new Serializer(WRITERS[suffix]).import(Readable.from(graph) as never)) text += chunk;
    expect(await read(suffix, text)).toBe(canonical(graph));
  });

  it('writes a chain of 5,000 statements', async () => {
    const graph = new Graph();
    let node: Node = iri('http://example.org/start');
    for (let i = 0; i < 5_000; i++) {
      const next: Node = i % 100 === 0 ? graph.blank() : iri(`http://example.org/${i}`);
      graph.add(node, name('dct:relation'), next);
      node = next;
    }
    expect((await read(suffix, written(suffix, graph))).split('\n')).toHaveLength(5_001);
  });
});

it('refuses predicates that RDF/XML cannot name', () => {
  expect(['http://example.org/1', 'urn:x:', 'http://example.org/a/'].map(isXmlName)).toEqual([false, false, false]);
  expect(['http://example.org/1a', 'urn:x:y', 'http://example.org/a'].map(isXmlName)).toEqual([true, true, true]);
  const graph = new Graph();
  graph.add(factory.blankNode() as never, iri('http://example.org/123'), literal('x'));
  expect(() => written('rdf', graph)).toThrow('RDF/XML has no name for the predicate http://example.org/123');
});

it('groups statements by subject, and declares the prefixes in use', () => {
  const graph = new Graph();
  const dataset = iri('http://example.org/d');
  const agent = graph.blank();
  graph.add(dataset, TYPE, name('dcat:Dataset'));
  graph.add(dataset, name('dct:creator'), agent);
  graph.add(agent, name('foaf:name'), literal('Ann', 'en'));
  expect(written('ttl', graph)).toBe(
    [
      '@prefix dcat: <http://www.w3.org/ns/dcat#> .',
      '@prefix dct: <http://purl.org/dc/terms/> .',
      '@prefix foaf: <http://xmlns.com/foaf/0.1/> .',
      '',
      '<http://example.org/d>',
      '  a dcat:Dataset ;',
      '  dct:creator [',
      '    foaf:name "Ann"@en',
      '  ] .',
      '',
    ].join('\n'),
  );
  expect(written('rdf', graph)).toContain('<dcat:Dataset rdf:about="http://example.org/d">');
});

it.each(['ttl', 'nt'] as const)('escapes characters that an IRI cannot hold in %s', (suffix) => {
  const graph = new Graph();
  graph.add(iri('http://example.org/a> <b'), name('dct:title'), literal('x', iri('urn:a b')));
  expect(written(suffix, graph)).toContain('<http://example.org/a\\u003E\\u0020\\u003Cb>');
  expect(written(suffix, graph)).toContain('"x"^^<urn:a\\u0020b>');
});

describe('a graph as an rdf-ext dataset', () => {
  const [one, two] = ['one', 'two'].map((text) => factory.quad(iri('urn:s'), name('dct:title'), literal(text)));

  it('stores each statement once, and finds it by its terms', () => {
    const graph = new Graph([one!, one!]).add(two!);
    expect(graph.size).toBe(2);
    expect([graph.has(one!), graph.has(factory.quad(iri('urn:s'), TYPE, literal('one')))]).toEqual([true, false]);
    expect([...graph.match(null, null, literal('two'))].map(({ object }) => object.value)).toEqual(['two']);
    graph.add(iri('urn:other'), TYPE, name('dcat:Dataset'));
    expect(graph.toCanonical()).toBe(canonical(graph.statements));
  });

  it('deletes statements', () => {
    const graph = new Graph([one!, two!]).delete(one!);
    expect([...graph].map(({ object }) => object.value)).toEqual(['two']);
    expect(written('nt', graph)).toBe('<urn:s> <http://purl.org/dc/terms/title> "two" .\n');
  });

  it('reads streams of statements', async () => {
    const graph = await new Graph().import(Readable.from([one, two]) as never);
    expect(graph.size).toBe(2);
  });
});
