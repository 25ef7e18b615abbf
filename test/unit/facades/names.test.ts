/** Facades and the catalog may not import each other: what both know is the same in both. */
import { expect, it } from '@jest/globals';
import * as documents from '../../../src/catalog/dataset/revise/revise.input.ts';
import * as wire from '../../../src/records/form/dataset.ts';

it('names the texts of datasets alike on the wire and in documents', () => {
  const { type, log_message, ...texts } = wire.DATASET_TEXTS;
  expect(documents.TEXTS).toEqual(texts);
  expect([type, log_message]).toEqual(['type', 'message']); // never in a change of a document
});

it('names the texts of resources alike', () => {
  const { id, ...texts } = wire.RESOURCE_TEXTS;
  expect(documents.RESOURCE_TEXTS).toEqual(texts);
  expect(id).toBe('databaseId'); // tells which resource it is
});
