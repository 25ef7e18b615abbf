/** Reads a feed of DCAT, page by page. There is no asking for single datasets, nor for what changed: a feed is read whole. */
import type { Reader, SourceItem, SourcePage } from '../reader.ts';
import { SourceError, type Web } from '../web.ts';
import type { Graph } from './graph.ts';
import { ACCEPT, parsePage } from './parse.ts';
import { itemOf } from './record.ts';

const MOST_PAGE = 128 * 2 ** 20;
const MOST_PAGES = 20_000;
const MOST_DATASETS = 2_000_000;
/** Pages in a row without a dataset. */
const MOST_EMPTY = 50;

interface Feed {
  readonly web: Web;
  readonly url: string;
  readonly sourceId: string;
  /** Languages of texts, the best first. */
  readonly languages: readonly string[];
}

export function createDcatReader({ web, url, sourceId, languages }: Feed): Reader {
  const found = new Set<string>();
  let isWhole = false;
  return {
    vocabularies: async () => [],
    async *groups() {},
    async *datasets() {
      let total: number | null = null;
      let empty = 0;
      for await (const graph of pages(web, url)) {
        total ??= totalOf(graph);
        const page = read(graph);
        empty = page.items.length === 0 ? empty + 1 : 0;
        if (empty > MOST_EMPTY) throw new SourceError(`${url} leads on over ${MOST_EMPTY} pages without a dataset`);
        if (found.size > MOST_DATASETS) throw new SourceError(`${url} holds more than ${MOST_DATASETS} datasets`);
        yield { ...page, readUntil: null, total };
      }
      isWhole = true;
    },
    names: async () => (isWhole ? found : null),
    show: async () => null,
  };

  function read(graph: Graph): Pick<SourcePage, 'items' | 'faults'> {
    const items: SourceItem[] = [];
    const faults: { id: string; message: string }[] = [];
    for (const dataset of graph.ofType('dcat:Dataset')) {
      const item = itemOf(dataset, sourceId, { graph, languages });
      if (!item)
        faults.push({
          id: '(unknown)',
          message: 'A dataset has neither an IRI nor an identifier of reasonable length.',
        });
      else if (!found.has(item.id)) {
        found.add(item.id);
        items.push(item);
      }
    }
    return { items, faults };
  }
}

/** Each page, and the one that it says is next. */
async function* pages(web: Web, first: string): AsyncGenerator<Graph> {
  const seen = new Set<string>();
  for (let url: string | null = first; url !== null; ) {
    if (seen.has(url)) throw new SourceError(`${url} was read already: the pages of the feed lead round in a circle`);
    if (seen.size >= MOST_PAGES) throw new SourceError(`${first} has more than ${MOST_PAGES} pages`);
    seen.add(url);
    const graph = await parsePage(await web.open(url, ACCEPT, MOST_PAGE));
    yield graph;
    url = nextOf(graph, url);
  }
}

/** Hydra calls it `next`, and called it `nextPage`. */
function nextOf(graph: Graph, at: string): string | null {
  const [next] = [...graph.anywhere('hydra:next'), ...graph.anywhere('hydra:nextPage')];
  if (!next) return null;
  if (!URL.canParse(next.value, at)) throw new SourceError(`${at} names a next page that is no address`);
  return new URL(next.value, at).href;
}

function totalOf(graph: Graph): number | null {
  const [said] = graph.anywhere('hydra:totalItems');
  const total = said ? Number(said.value) : Number.NaN;
  return Number.isSafeInteger(total) && total >= 0 ? total : null;
}
