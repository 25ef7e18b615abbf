import { expect, it } from '@jest/globals';
import { citationOf } from '../../../facades/web/site/citation.ts';

const cited = {
  name: 'rivers',
  title: 'Rivers & lakes',
  author: null,
  label: null,
  modifiedAt: '2026-11-23T00:00:00Z',
  organization: { name: 'town', title: 'Town' },
};

it('names the organization as creator, and the site as publisher', () => {
  const { text, bibtex } = citationOf(cited, 'Data', 'https://data.example/dataset/rivers');
  expect(text).toBe('Town (2026). Rivers & lakes. Data. https://data.example/dataset/rivers');
  expect(bibtex).toBe(
    [
      '@dataset{rivers,',
      '  author = {{Town}},',
      '  title = {{Rivers \\& lakes}},',
      '  year = {2026},',
      '  publisher = {{Town}},',
      '  url = {https://data.example/dataset/rivers},',
      '}',
    ].join('\n'),
  );
});

it('names author and version, and escapes special characters of BibTeX', () => {
  const { text, bibtex } = citationOf({ ...cited, author: 'A {B} \\ ~', label: '1_0' }, 'Data', 'x');
  expect(text).toBe('A {B} \\ ~ (2026). Rivers & lakes, version 1_0. Town. x');
  expect(bibtex).toContain('author = {{A \\{B\\} \\textbackslash{} \\~{}}},');
  expect(bibtex).toContain('version = {1\\_0},');
});
