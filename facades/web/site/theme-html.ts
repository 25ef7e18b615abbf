/** Checks HTML that a template of a theme made: its tags are balanced, and the policy of pages blocks nothing in it. Pure. */
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** Stands around the name of a part in the output of a template. No text has it. */
export const PART_SIGN = '\u0000';
/** Paths of the theme's files, such as `/static/site/theme/files/river.svg`. */
const FILES = /\/static\/site\/theme\/files\/([^"'\s()<>?#]+)/g;

const VOID = new Set('area br col embed hr img input link meta source track wbr'.split(' '));
const BLOCKED = 'is blocked by the Content-Security-Policy of pages';
const OF_PAGE = 'belongs to the page, not to a part of it';
const REFUSED: Readonly<Record<string, string>> = {
  ...reasons('script style iframe frame object embed applet audio video link base meta', BLOCKED),
  ...reasons('html head body title main plaintext frameset noframes xmp', OF_PAGE),
};

function reasons(elements: string, reason: string): Record<string, string> {
  return Object.fromEntries(elements.split(' ').map((element) => [element, reason]));
}

export interface HtmlLimits {
  /** Whether the folder `files` of the theme has a file. */
  readonly hasFile: (name: string) => boolean;
  /** Origins from which pages load images, besides the site; `https:` for all. */
  readonly images: readonly string[];
}

/** Why a page cannot show the HTML; null if it can. */
export function htmlFault(html: string, limits: HtmlLimits): string | null {
  const faults: string[] = [];
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    callbacksOf(html, limits, (reason) => void faults.push(reason)),
  );
  tokenizer.write(html);
  tokenizer.end();
  const missing = [...html.matchAll(FILES)].find(([, name]) => !limits.hasFile(name!));
  if (missing) faults.push(`the folder has no file files/${missing[1]}`);
  return faults[0] ?? null;
}

function callbacksOf(html: string, limits: HtmlLimits, fault: (reason: string) => void): TokenizerCallbacks {
  const open: string[] = [];
  let element = '';
  let attribute = '';
  let value = '';
  let isInTag = false;
  let shown = 0;
  const endTag = () => {
    if (!VOID.has(element)) open.push(element);
    isInTag = false;
  };
  const noPart = (end: number) => fault(`${html.slice(end - 40, end).trim()} is not part of a page's body`);
  return {
    onopentagname(start, end) {
      element = html.slice(start, end).toLowerCase();
      isInTag = true;
      if (Object.hasOwn(REFUSED, element)) fault(`<${element}> ${REFUSED[element]}`);
    },
    onopentagend: endTag,
    onselfclosingtag() {
      // Only in drawings does `/>` close an element.
      if (element === 'svg' || open.includes('svg')) isInTag = false;
      else endTag();
    },
    onclosetag(start, end) {
      const name = html.slice(start, end).toLowerCase();
      const last = open.pop();
      if (last === undefined) fault(`</${name}> closes no element`);
      else if (last !== name) fault(`<${last}> is not closed before </${name}>`);
    },
    onattribname(start, end) {
      attribute = html.slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata(start, end) {
      value += html.slice(start, end);
    },
    onattribend(quote) {
      if (quote === QuoteType.Unquoted) fault(`<${element} ${attribute}=${value}>: the value needs quotes`);
      const reason = attributeFault(element, attribute, value.trim(), limits.images);
      if (reason) fault(`<${element} ${attribute}="${value.slice(0, 80)}"> ${reason}`);
    },
    ontext(start, end) {
      shown += html.slice(start, end).split(PART_SIGN).length - 1;
    },
    oncomment(_start, end, offset) {
      if (offset === 0) fault(`the comment "${html.slice(_start, end).slice(0, 40)}" is not closed`);
    },
    oncdata: (_start, end) => noPart(end),
    ondeclaration: (_start, end) => noPart(end),
    onprocessinginstruction: (_start, end) => noPart(end),
    onattribentity: () => {},
    ontextentity: () => {},
    onend() {
      const unfinished = isInTag ? `<${element}` : /<\/?[a-z][^\s>]*$/i.exec(html)?.[0];
      if (unfinished) fault(`the tag ${unfinished} … is not closed`);
      if (open.length > 0) fault(`<${open.at(-1)}> is not closed`);
      if (shown < html.split(PART_SIGN).length - 1) fault('a part is inside a tag or a comment');
    },
  };
}

const CSS_URLS = /url\(\s*["']?([^"')\s]+)|@import\s+["']([^"']+)/g;

/** Why a style sheet of the theme is not shown as written; null if it is. */
export function styleFault(css: string, { hasFile, images }: HtmlLimits): string | null {
  for (const [, inUrl, imported] of css.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(CSS_URLS)) {
    const url = inUrl ?? imported!;
    if (/^(?:data:|#)/i.test(url)) continue;
    const name = /^(?:\/static\/site\/theme\/)?files\/([^?#]+)/.exec(url)?.[1];
    if (name !== undefined && !hasFile(name)) return `the folder has no file files/${name}`;
    if (name !== undefined || /^\/(?!\/)/.test(url)) continue;
    const isImage =
      URL.canParse(url) && inUrl !== undefined && (images.includes(new URL(url).origin) || images.includes('https:'));
    if (!isImage) return `url(${url}) must name a file such as files/NAME: other hosts and folders are blocked`;
  }
  return null;
}

/** Attributes with one URL each. */
const LINKS = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'poster', 'srcset']);

function attributeFault(element: string, name: string, value: string, images: readonly string[]): string | null {
  if (/^on/.test(name) || name === 'style' || name === 'srcdoc') return BLOCKED;
  if (!LINKS.has(name)) return null;
  const urls = name === 'srcset' ? value.split(',').map((one) => one.trim().split(/\s/)[0]!) : [value];
  const faults = urls.map((url) => urlFault(element, name, url, images));
  return faults.find((reason) => reason !== null) ?? null;
}

function urlFault(element: string, name: string, url: string, images: readonly string[]): string | null {
  if (/^(?:javascript|vbscript):/i.test(url)) return BLOCKED;
  const isOwn = /^(?:\/(?!\/)|#)/.test(url) || url === '';
  if (isOwn) return null;
  const isLink = name === 'href' && (element === 'a' || element === 'area');
  if (isLink && /^[a-z][a-z0-9+.-]*:/i.test(url)) return null;
  if (!isLink && name.startsWith('src') && /^data:image\//i.test(url)) return null;
  if (!isLink && /^(?:https?:)?\/\//i.test(url)) {
    const isImage = element === 'img' || element === 'source';
    const origin = isImage && URL.canParse(url) ? new URL(url).origin : null;
    const isAllowed =
      origin !== null && (images.includes(origin) || (images.includes('https:') && /^https:/i.test(url)));
    return isAllowed ? null : BLOCKED;
  }
  return 'must begin with "/"';
}
