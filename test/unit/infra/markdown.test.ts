/** Markdown: what becomes a link, and what would take too long to look for one. */
import { expect, it } from '@jest/globals';
import { markdownToHtml } from '../../../src/infra/markdown.ts';

const LINK = '<a href="http://a.example/b">http://a.example/b</a>';

it('makes links of plain addresses, in long texts too, and in those of languages without spaces', () => {
  expect(markdownToHtml('See http://a.example/b.')).toBe(`<p>See ${LINK}.</p>`);
  expect(markdownToHtml(`${'Some words of a text. '.repeat(2_000)} http://a.example/b`)).toContain(LINK);
  const japanese = '河川の水位のデータ。'.repeat(2_000);
  expect(markdownToHtml(`${japanese}\nhttp://a.example/b ${japanese}`)).toContain(LINK);
});

it('looks for no addresses where that takes seconds, and renders all else', () => {
  for (const part of ['http://a.b/(', 'http://a.b/[', '//a.b/,', 'a.com/{']) {
    const html = markdownToHtml(`**bold** ${part.repeat(4_000)}`);
    expect([part, html.includes('<a '), html.includes('<strong>bold</strong>')]).toEqual([part, false, true]);
  }
});

it('makes no links of scripts, and shows tags as text', () => {
  const html = markdownToHtml(
    '[a](javascript:alert(1)) ![b](data:text/html,x) <script>alert(1)</script> javascript:alert(1)',
  );
  expect(html).not.toMatch(/<(a|img|script)/);
});
