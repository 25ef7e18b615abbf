import { expect, it } from '@jest/globals';
import { UnreadableBody } from '../../../facades/shared/bodies.ts';
import { CatalogError, invalidField } from '../../../src/kernel/errors.ts';

it('messages that quote a lone surrogate are well-formed', () => {
  const half = '🌊'[0]!;
  expect(new CatalogError('LIMIT', half).message).toBe('\ufffd');
  expect(invalidField('name', half).problems[0]!.message).toBe('\ufffd');
  expect(new UnreadableBody(half).message).toBe('\ufffd');
});
