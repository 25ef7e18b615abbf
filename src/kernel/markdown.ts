/** Markdown → HTML that is safe on any page: tags in the text are shown as text, addresses of scripts are no links. */
import MarkdownIt from 'markdown-it';

const renderer = new MarkdownIt({ html: false, linkify: true });

/** Characters beyond which rendering could hold up everybody else: it takes longer than the text grows. */
const LONGEST = 50_000;

/** The text as HTML; empty for an empty one. Plain addresses become links. A text of more than 50,000 characters is shown as it stands. */
export const markdownToHtml = (text: string): string =>
  text.length > LONGEST ? `<pre>${renderer.utils.escapeHtml(text)}</pre>` : renderer.render(text).trimEnd();
