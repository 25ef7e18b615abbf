/** Markdown → HTML that is safe on any page: HTML in the text is escaped, script URLs do not become links. */
import MarkdownIt from 'markdown-it';
import { createLru, type Lru } from './concurrency/lru.ts';

const renderer = new MarkdownIt({ html: false, linkify: true });
/** Without links for bare URLs. */
const plain = new MarkdownIt({ html: false });

/** Longer texts are not rendered: rendering takes more than linear time and would block the event loop. */
const MAX_LENGTH = 50_000;
/** Limit of `effort` for detecting bare URLs: about a twentieth of a second. */
const MAX_WORK = 10_000_000;

/** Characters at which URL detection starts. */
const SIGNS = /[/:@.]/g;

/** Rendered texts by text. Characters of both, in all, and of an entry. */
const rendered: Lru<string> = createLru(4_000_000, 'markdown');
const MAX_CACHED = 40_000;

/** Estimated work: from each such character the detector may read to the next space, which is expensive only in texts with few spaces. */
const effort = (text: string): number =>
  text.split(/\s+/).reduce((sum, run) => sum + run.length * (run.match(SIGNS)?.length ?? 0), 0);

/**
 * The text as HTML; empty for an empty text. Bare URLs become links, except in texts with many candidates and hardly
 * any spaces. Texts above 50,000 characters are returned unformatted.
 */
export function markdownToHtml(text: string): string {
  if (text.length > MAX_LENGTH) return `<pre>${renderer.utils.escapeHtml(text)}</pre>`;
  const known = rendered.get(text);
  if (known !== undefined) return known;
  const html = (effort(text) > MAX_WORK ? plain : renderer).render(text).trimEnd();
  const weight = text.length + html.length;
  if (weight <= MAX_CACHED) rendered.set(text, html, weight);
  return html;
}
