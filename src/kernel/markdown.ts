/** Markdown → HTML that is safe on any page: tags in the text are shown as text, addresses of scripts are no links. */
import MarkdownIt from 'markdown-it';

const renderer = new MarkdownIt({ html: false, linkify: true });

/** The text as HTML; empty for an empty one. Plain addresses become links. */
export const markdownToHtml = (text: string): string => renderer.render(text).trimEnd();
