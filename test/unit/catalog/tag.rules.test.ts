import { describe, expect, it } from '@jest/globals';
import { checkTagName } from '../../../src/catalog/tag/tag.rules.ts';
import { checkVocabularyName } from '../../../src/catalog/vocabulary/vocabulary.rules.ts';

describe('checkTagName', () => {
  it.each([
    'ab',
    'economy stats',
    ' lead',
    'two  spaces',
    'a.b_c-d',
    'Café 1_2-3.4',
    '東京都',
    'データ',
    'हिन्दी',
    'x'.repeat(100),
    '𝐀𝐁',
  ])('accepts %p', (name) => expect(checkTagName(name)).toEqual([]));

  it('counts characters, not code units', () => {
    expect(checkTagName('𠮷')).toEqual(['Tag "𠮷" length is less than minimum 2']);
    expect(checkTagName('𠮷'.repeat(100))).toEqual([]);
    expect(checkTagName('y'.repeat(101))).toEqual([`Tag "${'y'.repeat(101)}" length is more than maximum 100`]);
  });

  it('reports every problem of a name', () => {
    expect(checkTagName('!')).toEqual([
      'Tag "!" length is less than minimum 2',
      'Tag "!" must be alphanumeric characters or symbols: -_.',
    ]);
  });

  it.each(['bad,comma', 'quote"s', 'line\nend', 'tab\tin', 'a/b', '<b>', 'emoji 🌊', 'ab\n'])('refuses %p', (name) =>
    expect(checkTagName(name)).toEqual([`Tag "${name}" must be alphanumeric characters or symbols: -_.`]),
  );
});

describe('checkVocabularyName', () => {
  it('requires 2 to 100 characters of any kind', () => {
    expect(checkVocabularyName('x', null, null)).toEqual(['Name must be at least 2 characters long']);
    expect(checkVocabularyName('', null, null)).toEqual(['Name must be at least 2 characters long']);
    expect(checkVocabularyName('x'.repeat(101), null, null)).toEqual(['Name must be a maximum of 100 characters long']);
    expect(checkVocabularyName('With Space!', null, null)).toEqual([]);
  });

  it('refuses the name of another vocabulary, but accepts its own', () => {
    expect(checkVocabularyName('genre', 'other', 'self')).toEqual(['That vocabulary name is already in use.']);
    expect(checkVocabularyName('genre', 'other', null)).toEqual(['That vocabulary name is already in use.']);
    expect(checkVocabularyName('genre', 'self', 'self')).toEqual([]);
  });
});
