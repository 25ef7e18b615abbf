/** Markdown → HTML that is safe on any page: tags in the text are shown as text, addresses of scripts are no links. */
import MarkdownIt from 'markdown-it';

const renderer = new MarkdownIt({ html: false, linkify: true });
/** Without links for plain addresses. */
const plain = new MarkdownIt({ html: false });

/** Characters beyond which rendering could hold up everybody else: it takes longer than the text grows. */
const MAX_LENGTH = 50_000;
/** What looking for addresses may take, as `effort` has it: about a twentieth of a second. */
const MAX_WORK = 10_000_000;

/** Signs by which an address is looked for. */
const SIGNS = /[/:@.]/g;

/** From each such sign on, a text may be walked to the next space: nothing to speak of, but where spaces are missing. */
const effort = (text: string): number =>
  text.split(/\s+/).reduce((sum, run) => sum + run.length * (run.match(SIGNS)?.length ?? 0), 0);

/**
 * The text as HTML; empty for an empty one. Plain addresses become links, but in texts that are full of what could be addresses and
 * have hardly any spaces. A text of more than 50,000 characters is shown as it stands.
 */
export function markdownToHtml(text: string): string {
  if (text.length > MAX_LENGTH) return `<pre>${renderer.utils.escapeHtml(text)}</pre>`;
  return (effort(text) > MAX_WORK ? plain : renderer).render(text).trimEnd();
}
