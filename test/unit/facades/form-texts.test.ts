/** Detects the form fields that an editor has changed. */
import { describe, expect, it } from '@jest/globals';
import { baseOf, changedFields, type FormFields } from '../../../facades/web/site/form-texts.ts';

const fieldsOf = (names: readonly string[]): FormFields =>
  Object.fromEntries(names.map((name) => [name, { label: name }]));

describe('changedFields', () => {
  it('finds changed fields whose names have dots and colons', () => {
    const fields = fieldsOf(['a', 'b', 'a.b', 'a:0.b', 'b.']);
    const texts = { a: '1', b: '2', 'a.b': '3', 'a:0.b': '4', 'b.': '5' };
    const base = baseOf(fields, texts);
    expect(changedFields(fields, { ...texts, base })).toEqual([]);
    for (const name of Object.keys(fields))
      expect(changedFields(fields, { ...texts, base, [name]: 'x' })).toEqual([name]);
    expect(changedFields(fields, texts)).toEqual(Object.keys(fields));
  });

  it('reads a long base once', () => {
    const fields = fieldsOf(Array.from({ length: 2_400 }, (_, index) => `label-${index}`));
    const start = performance.now();
    expect(changedFields(fields, { base: 'label-00000000:0000000'.repeat(400_000) })).toHaveLength(2_400);
    expect(performance.now() - start).toBeLessThan(5_000); // 17 s with a search for each field
  });
});
