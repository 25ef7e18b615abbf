/** Parses the bytes of a page into a graph. Streams, and aborts when a limit is exceeded. */

import { Readable } from 'node:stream';
import { parse as parseType } from 'content-type';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { StreamParser } from 'n3';
import { RdfXmlParser } from 'rdfxml-streaming-parser';
import { type Answer, SourceError } from '../web.ts';
import { KNOWN_CONTEXTS } from './contexts.ts';
import { guarded } from './doctype.ts';
import { Graph, type Quad } from './graph.ts';

/** Maximum statements of one page. */
const MAX_QUADS = 1_000_000;
/** Maximum characters of all terms of one page after expansion. */
const MAX_TEXT_LENGTH = 128 * 2 ** 20;
/** Maximum characters of an IRI. */
const MAX_IRI_LENGTH = 2_000;

type Format = 'rdfxml' | 'turtle' | 'jsonld';

const BY_TYPE: Readonly<Record<string, Format>> = {
  'application/rdf+xml': 'rdfxml',
  'text/turtle': 'turtle',
  'application/x-turtle': 'turtle',
  'application/n-triples': 'turtle',
  'text/n3': 'turtle',
  'text/rdf+n3': 'turtle',
  'application/ld+json': 'jsonld',
};

/** The value of an own property: undefined also for inherited keys, such as `constructor`. */
const own = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Accepted formats, in order of preference. */
export const ACCEPT =
  'text/turtle, application/n-triples;q=0.9, application/ld+json;q=0.8, application/rdf+xml;q=0.7, */*;q=0.1';

/** The graph of a page. @throws SourceError for invalid RDF, or an exceeded limit */
export async function parsePage({ url, type, body }: Answer): Promise<Graph> {
  const { first, all } = await begun(body);
  const format = own(BY_TYPE, parseType(type).type) ?? formatOf(first);
  if (format === null) throw new SourceError(`${url} is not RDF: ${type || 'no media type'}`);
  const input = Readable.from(format === 'rdfxml' ? guarded(all) : all, { objectMode: false });
  const parser = PARSERS[format](url);
  input.on('error', (failure) => parser.destroy(failure));
  const graph = new Graph();
  let quads = 0;
  let text = 0;
  try {
    for await (const quad of input.pipe(parser) as AsyncIterable<Quad>) {
      quads += 1;
      for (const term of [quad.subject, quad.predicate, quad.object]) {
        if (term.termType === 'NamedNode' && term.value.length > MAX_IRI_LENGTH)
          throw new SourceError(`${url} contains an IRI of more than ${MAX_IRI_LENGTH} characters`);
        text += term.value.length;
      }
      if (quads > MAX_QUADS || text > MAX_TEXT_LENGTH)
        throw new SourceError(`${url} contains more than ${MAX_QUADS} statements, the limit of one page`);
      graph.add(quad);
    }
  } catch (thrown) {
    if (thrown instanceof SourceError) throw thrown;
    const reason = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300);
    throw new SourceError(`${url} cannot be read as ${NAMES[format]}: ${reason}`);
  } finally {
    input.destroy();
    parser.destroy();
  }
  return graph;
}

const NAMES: Readonly<Record<Format, string>> = { rdfxml: 'RDF/XML', turtle: 'Turtle', jsonld: 'JSON-LD' };

const PARSERS: Readonly<Record<Format, (baseIRI: string) => NodeJS.ReadWriteStream & Readable>> = {
  // IRIs are validated where they are used, so that one bad link does not stop the whole read.
  rdfxml: (baseIRI) => new RdfXmlParser({ baseIRI, validateUri: false }) as never,
  turtle: (baseIRI) => new StreamParser({ baseIRI }) as never,
  jsonld: (baseIRI) =>
    new JsonLdParser({
      baseIRI,
      documentLoader: {
        load: async (address: string) => {
          const known = own(KNOWN_CONTEXTS, address.replace(/^http:/, 'https:'));
          if (!known) throw new SourceError(`Unknown JSON-LD context ${address}; contexts are not fetched`);
          return known as never;
        },
      },
    }) as never,
};

/** Guesses the format of a document whose media type is unspecific. */
function formatOf(first: Buffer): Format | null {
  const text = first
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  if (/^[[{]/.test(text)) return 'jsonld';
  if (/^<(\?xml|!DOCTYPE\s+rdf|rdf:RDF)/i.test(text)) return 'rdfxml';
  return /^(@prefix|@base|prefix\s|base\s|#|<[^!?>\s]+>\s|_:)/i.test(text) ? 'turtle' : null;
}

/** The first bytes, and a stream of all bytes. */
async function begun(body: AsyncGenerator<Buffer>): Promise<{ first: Buffer; all: AsyncGenerator<Buffer> }> {
  const { value: first = Buffer.alloc(0) } = (await body.next()) as { value?: Buffer };
  async function* all() {
    try {
      yield first;
      yield* body;
    } finally {
      await body.return(undefined);
    }
  }
  return { first, all: all() };
}
