/** User-written text on pages: links, and images of this site and other hosts. */
import { describe, expect, it } from '@jest/globals';
import { safeHtml } from '../../../facades/web/site/html-text.tsx';
import { imageSource, imageSources } from '../../../facades/web/site/picture.tsx';
import { markdownToHtml } from '../../../src/infra/markdown.ts';

const frame = { siteUrl: 'https://data.example/data', images: ['https://pictures.example'] };
const html = (markdown: string) => safeHtml(markdownToHtml(markdown), frame);

describe('user-written texts', () => {
  it('mark links', () => {
    expect(html('[a](https://x.example/?a=1&b=2)')).toBe(
      '<p><a rel="nofollow ugc" href="https://x.example/?a=1&amp;b=2">a</a></p>',
    );
  });

  it('show images of the site and of allowed hosts, and link to others', () => {
    expect(html('![A](https://data.example/data/uploads/a.png)')).toBe(
      '<p><img src="/uploads/a.png" alt="A" loading="lazy"></p>',
    );
    expect(html('![A](https://pictures.example/a.png?x&y "T")')).toBe(
      '<p><img src="https://pictures.example/a.png?x&amp;y" alt="A" title="T" loading="lazy"></p>',
    );
    expect(html('![A "b"](https://other.example/a.png)')).toBe(
      '<p><a rel="nofollow ugc" href="https://other.example/a.png">A &quot;b&quot;</a></p>',
    );
    expect(html('![](https://other.example/a.png)')).toContain('>https://other.example/a.png</a>');
  });

  it('never nest links', () => {
    expect(html('[![A](https://other.example/a.png) b](https://x.example)')).toBe(
      '<p><a rel="nofollow ugc" href="https://x.example">A b</a></p>',
    );
  });
});

describe('image sources', () => {
  it.each([
    ['/uploads/a.png', '/uploads/a.png'],
    ['//other.example/a.png', null],
    ['/\\other.example/a.png', null],
    ['https://data.example/data/uploads/a.png', '/uploads/a.png'],
    ['https://data.example/database/a.png', null],
    ['https://pictures.example/a.png', 'https://pictures.example/a.png'],
    ['http://pictures.example/a.png', null],
    ['https://pictures.example.org/a.png', null],
    ['javascript:alert(1)', null],
    ['a.png', null],
    ['', null],
  ])('%s', (url, source) => expect(imageSource(url, frame)).toBe(source));

  it('include all hosts over https with `*`', () => {
    const all = { ...frame, images: imageSources(['*'], '') };
    expect(imageSource('https://any.example/a.png', all)).toBe('https://any.example/a.png');
    expect(imageSource('http://any.example/a.png', all)).toBeNull();
  });

  it('are normalized to origins', () => {
    const images = imageSources(['https://Images.Example:443', 'http://a.example:8080/', 'https://b:99999'], '');
    expect(images).toEqual(['https://images.example', 'http://a.example:8080']);
    expect(imageSource('https://images.example/a.png', { ...frame, images })).toBe('https://images.example/a.png');
  });

  it('include the host of the logo', () => {
    expect(imageSources([], 'https://logo.example/l.svg')).toEqual(['https://logo.example']);
    expect(imageSources([], '/l.svg')).toEqual([]);
    expect(imageSources(['https://a.example'], 'https://a.example/l.svg')).toEqual(['https://a.example']);
  });
});
