/** Reads a DCAT feed page by page. Feeds offer neither single datasets nor changes, so they are always read completely. */
import type { Reader, SourceItem } from '../reader.ts';
import type { Marks } from '../run/marks.ts';
import { SourceError, type Web } from '../web.ts';
import type { Graph } from './graph.ts';
import { ACCEPT, parsePage } from './parse.ts';
import { itemOf } from './record.ts';

const MAX_PAGE = 128 * 2 ** 20;
const MAX_PAGES = 20_000;
const MAX_DATASETS = 2_000_000;
/** Maximum consecutive pages without a dataset. */
const MAX_EMPTY = 50;

interface Feed {
  readonly web: Web;
  readonly marks: Marks;
  readonly url: string;
  readonly sourceId: string;
  /** Preferred languages, best first. */
  readonly languages: readonly string[];
}

export function createDcatReader({ web, marks, url, sourceId, languages }: Feed): Reader {
  let isWhole = false;
  return {
    vocabularies: async () => [],
    async *groups() {},
    async *datasets() {
      let total: number | null = null;
      let met = 0;
      let empty = 0;
      for await (const graph of pages(web, url)) {
        total ??= totalOf(graph);
        const { items, faults } = read(graph);
        const fresh = await marks.set(
          'listed',
          items.map(({ id }) => id),
        );
        met += fresh.size + faults.length;
        empty = fresh.size === 0 ? empty + 1 : 0;
        if (empty > MAX_EMPTY) throw new SourceError(`${url} has ${MAX_EMPTY} consecutive pages without a dataset`);
        if (met > MAX_DATASETS) throw new SourceError(`${url} contains more than ${MAX_DATASETS} datasets`);
        yield { items: items.filter(({ id }) => fresh.delete(id)), faults, readUntil: null, total };
      }
      // When the reported total is higher, the feed is incomplete, and a missing dataset does not count as deleted.
      isWhole = total === null || met >= total;
      const message = `The source announces ${total} datasets, but its pages ended after ${met}. Nothing was deleted.`;
      if (!isWhole) yield { items: [], faults: [{ id: '(feed)', message }], readUntil: null, total };
    },
    list: async () => isWhole,
    show: async () => null,
  };

  function read(graph: Graph) {
    const items: SourceItem[] = [];
    const faults: { id: string; message: string }[] = [];
    for (const dataset of graph.ofType('dcat:Dataset')) {
      const item = itemOf(dataset, sourceId, { graph, languages });
      if (item) items.push(item);
      else
        faults.push({
          id: '(unknown)',
          message: 'A dataset has neither an IRI nor an identifier of reasonable length.',
        });
    }
    return { items, faults };
  }
}

/** Each page, following the link to the next. */
async function* pages(web: Web, first: string): AsyncGenerator<Graph> {
  const seen = new Set<string>();
  for (let url: string | null = first; url !== null; ) {
    if (seen.has(url)) throw new SourceError(`${url} was already read: the pages of the feed form a loop`);
    if (seen.size >= MAX_PAGES) throw new SourceError(`${first} has more than ${MAX_PAGES} pages`);
    seen.add(url);
    const graph = await parsePage(await web.open(url, ACCEPT, MAX_PAGE));
    yield graph;
    url = nextOf(graph, url);
  }
}

/** Hydra's property is `next`, formerly `nextPage`. */
function nextOf(graph: Graph, at: string): string | null {
  const [next] = [...graph.anywhere('hydra:next'), ...graph.anywhere('hydra:nextPage')];
  if (!next) return null;
  if (!URL.canParse(next.value, at)) throw new SourceError(`${at} has an invalid URL of the next page`);
  return new URL(next.value, at).href;
}

function totalOf(graph: Graph): number | null {
  const [said] = graph.anywhere('hydra:totalItems');
  const total = said ? Number(said.value) : Number.NaN;
  return Number.isSafeInteger(total) && total >= 0 ? total : null;
}
