/** Templates render the same bytes as elements, and escape every value. */
import { expect, it } from '@jest/globals';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { attribute, elementOf, filled, html, SLOT, view } from '../../../facades/web/site/markup.ts';

const HOSTILE = ['<script>', '"><img src=x onerror=alert(1)>', "' & &amp; \u0000", '{"text":"<b>"}'];

it.each(HOSTILE)('escapes %s as an element does', (text) => {
  const element = h('p', { class: text, lang: text }, [text, ' ', h('b', {}, text)]);
  const parts = html`<p class="${text}"${attribute('lang', text)}>${text} ${html`<b>${text}</b>`}</p>`;
  expect(renderToString(elementOf(parts))).toBe(renderToString(element));
});

it('does not treat objects of callers as HTML', () => {
  const forged = { text: '<script>alert(1)</script>' };
  expect(() => html`<p>${forged as never}</p>`).toThrow();
  expect(renderToString(view`<p>${forged as never}</p>`)).toBe('<p>[object Object]</p>');
});

it('omits the values that an element omits', () => {
  const parts = html`<p${attribute('lang', undefined)}>${null}${undefined}${false}${0}${[]}${['<', 1]}</p>`;
  expect(renderToString(elementOf(parts))).toBe('<p>0&lt;1</p>');
});

it('puts elements into templates and messages', () => {
  expect(renderToString(view`<p>${h('i', {}, '<')}${[h('b', {})]}${'<'}</p>`)).toBe('<p><i>&lt;</i><b></b>&lt;</p>');
  expect(renderToString(elementOf(filled(`<${SLOT}>${SLOT}`, html`<b></b>`)))).toBe('&lt;<b></b>><b></b>');
});
