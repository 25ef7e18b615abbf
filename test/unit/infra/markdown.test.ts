/** Markdown: links, and the limits on the search for URLs. */
import { expect, it } from '@jest/globals';
import { markdownToHtml } from '../../../src/infra/markdown.ts';

const LINK = '<a href="http://a.example/b">http://a.example/b</a>';

it('links plain URLs, also in long texts and in languages without spaces', () => {
  expect(markdownToHtml('See http://a.example/b.')).toBe(`<p>See ${LINK}.</p>`);
  expect(markdownToHtml(`${'Some words of a text. '.repeat(2_000)} http://a.example/b`)).toContain(LINK);
  const japanese = '河川の水位のデータ。'.repeat(2_000);
  expect(markdownToHtml(`${japanese}\nhttp://a.example/b ${japanese}`)).toContain(LINK);
});

it('links no URLs where the search would take seconds, and renders the rest', () => {
  for (const part of ['http://a.b/(', 'http://a.b/[', '//a.b/,', 'a.com/{']) {
    const html = markdownToHtml(`**bold** ${part.repeat(4_000)}`);
    expect([part, html.includes('<a '), html.includes('<strong>bold</strong>')]).toEqual([part, false, true]);
  }
});

it('links no scripts, and shows tags as text', () => {
  const html = markdownToHtml(
    '[a](javascript:alert(1)) ![b](data:text/html,x) <script>alert(1)</script> javascript:alert(1)',
  );
  expect(html).not.toMatch(/<(a|img|script)/);
});
