/**
 * Templates of a theme, in Liquid. They read values and place parts of the page, and have no access to files or to code. Their values are
 * escaped.
 */
import { Drop, Liquid, type Template as Node } from 'liquidjs';
import { LANGUAGES, MESSAGES } from '../../../src/generated/texts.ts';
import { type PlainKey, type Texts, textsOf } from './texts.ts';
import { type HtmlLimits, htmlFault, PART_SIGN } from './theme-html.ts';
import type { Messages } from './theme-messages.ts';

/** Regions of pages that a template replaces, with the parts that it can place. */
export const REGIONS = {
  header: ['site', 'navigation', 'search', 'account', 'languages', 'menu', 'text'],
  footer: ['text', 'programs', 'catalog'],
  home: ['intro', 'search', 'figures', 'text', 'start', 'themes', 'datasets', 'ways'],
  dataset: [
    ...['heading', 'tabs', 'notices', 'actions', 'notes', 'resources', 'tags', 'extras', 'facts'],
    ...['quality', 'use', 'citation', 'formats'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type RegionName = keyof typeof REGIONS;

/** Values of a template by name. */
export type Values = Readonly<Record<string, unknown>>;

/** A template's HTML between the parts that it places. */
export interface Pieces {
  readonly texts: readonly string[];
  readonly parts: readonly string[];
}

export interface Template {
  /** Null for a page that the template cannot show; it is logged once. */
  render(texts: Texts, values: Values): Pieces | null;
}

/** Time, in ms, and memory, in objects, of one page. */
const LIMITS = { renderLimit: 1_000, memoryLimit: 1_000_000 };
const TAGS = new Set(['assign', 'case', 'comment', 'for', 'if', 'unless', 'break', 'continue', '#']);
const TEXTS = Symbol('texts');
const textsIn = (environments: object): Texts => (environments as { [TEXTS]: Texts })[TEXTS];

const engines = new Map<RegionName, Liquid>();

function engineOf(region: RegionName): Liquid {
  const known = engines.get(region);
  if (known) return known;
  const strict = { strictVariables: true, strictFilters: true, lenientIf: true, ownPropertyOnly: true };
  const engine = new Liquid({ ...strict, ...LIMITS, outputEscape: 'escape', templates: {}, timezoneOffset: 0 });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  engine.unregisterFilter('raw');
  engine.registerFilter('t', function (key: unknown, ...values: unknown[]) {
    const message = textsIn(this.context.environments).t as (key: PlainKey, values: object) => unknown;
    const text = message(String(key) as PlainKey, Object.fromEntries(values as [string, unknown][]));
    if (typeof text !== 'string' || (text === key && !Object.hasOwn(MESSAGES.en, key)))
      throw new Error(`no message without tags has the key ${key}`);
    return text;
  });
  engine.registerFilter('number', function (value: unknown) {
    return textsIn(this.context.environments).number(Number(value));
  });
  engine.registerFilter('day', function (value: unknown) {
    return textsIn(this.context.environments).day(String(value));
  });
  const parts: readonly string[] = REGIONS[region];
  engine.registerTag('part', {
    parse({ args }) {
      this.name = args.trim();
      if (!parts.includes(this.name)) throw new Error(`no part "${this.name}": a ${region} has ${parts.join(', ')}`);
    },
    render(): string {
      return `${PART_SIGN}${this.name}${PART_SIGN}`;
    },
  });
  engines.set(region, engine);
  return engine;
}

/** `logFault` is called with the first fault on a page. @throws Error with the place and reason of a syntax error */
export function compile(
  region: RegionName,
  source: string,
  limits: HtmlLimits,
  logFault: (reason: string) => void,
): Template {
  const nodes = parsed(region, source);
  let isLogged = false;
  return {
    render(texts, values) {
      try {
        return piecesOf(rendered(region, nodes, texts, values), limits);
      } catch (thrown) {
        if (!isLogged) logFault(reasonOf(thrown));
        isLogged = true;
        return null;
      }
    },
  };
}

const parsed = (region: RegionName, source: string): Node[] => engineOf(region).parse(source);

const rendered = (region: RegionName, nodes: Node[], texts: Texts, values: Values): string =>
  engineOf(region).renderSync(nodes, { ...values, [TEXTS]: texts });

/** @throws Error if a page cannot show the HTML */
function piecesOf(html: string, limits: HtmlLimits): Pieces {
  const reason = htmlFault(html, limits);
  if (reason !== null) throw new Error(reason);
  const all = html.split(PART_SIGN);
  return { texts: all.filter((_, index) => index % 2 === 0), parts: all.filter((_, index) => index % 2 === 1) };
}

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Has a value under each key. */
class AnyKey extends Drop {
  override liquidMethodMissing(): string {
    return 'Sample';
  }
}

const WHO = { name: 'ann', title: 'Ann' };
const COMMON = { site: { title: 'Sample', url: 'https://data.example' }, viewer: null, language: 'en' };
const DATASET = {
  ...{ name: 'sample', title: 'Sample', notes: 'Sample', version: '1', author: 'Ann', maintainer: 'Bob' },
  ...{ license: 'CC0', created: '2026-01-01T00:00:00Z', modified: '2026-01-02T00:00:00Z' },
  ...{ organization: { name: 'town', title: 'Town' }, tags: ['sample'], extras: new AnyKey() },
};
const EMPTY = { ...DATASET, notes: '', version: '', author: '', maintainer: '', license: '', organization: null };

/** Values with which templates are checked: full ones and empty ones. */
const SAMPLES: Readonly<Record<RegionName, readonly Values[]>> = {
  header: [{}],
  footer: [{}],
  home: [3, 0].map((count) => ({ figures: { datasets: count, organizations: count, groups: count } })),
  dataset: [{ dataset: DATASET }, { dataset: { ...EMPTY, tags: [], extras: {} } }],
};

/**
 * Why pages cannot show a template; null if they can. It is tried in all languages, as a visitor and as a user. `messages`: those of the theme.
 */
export function templateFault(
  region: RegionName,
  source: string,
  limits: HtmlLimits,
  messages: Readonly<Partial<Record<string, Messages>>>,
): string | null {
  try {
    const nodes = parsed(region, source);
    for (const language of LANGUAGES)
      for (const viewer of [null, WHO])
        for (const sample of SAMPLES[region]) {
          const texts = textsOf(language, language, messages[language]);
          const { texts: html, parts } = piecesOf(
            rendered(region, nodes, texts, { ...COMMON, ...sample, viewer, language }),
            limits,
          );
          const reason = shapeFault(region, html.join(' '), parts);
          if (reason !== null) return reason;
        }
    return null;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

/** Faults of a region as a whole. */
function shapeFault(region: RegionName, html: string, parts: readonly string[]): string | null {
  const repeated = parts.find((part, index) => parts.indexOf(part) < index);
  if (repeated) return `the part "${repeated}" is placed twice`;
  const headings = (html.match(/<h1[\s>]/gi) ?? []).length + Number(parts.includes('heading'));
  const expected = region === 'home' || region === 'dataset' ? 1 : 0;
  return headings === expected ? null : `must have ${expected} <h1> (got ${headings})`;
}
