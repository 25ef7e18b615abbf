import { expect, it } from '@jest/globals';
import { mayReadDataset } from '../../../src/catalog/dataset/dataset.policy.ts';
import { readerOf } from '../../../src/catalog/document/readable.ts';
import { type Actor, anonymous, type Capacity } from '../../../src/kernel/call.ts';
import { settingsForTests } from '../../../src/kernel/config.ts';
import { labelsOf, readerLabels } from '../../../src/search/solr/labels.ts';

const settings = settingsForTests({});
const user = (userId: string, capacity?: Capacity): Actor => ({
  ...anonymous('test'),
  userId,
  name: userId,
  capacities: new Map(capacity ? [['owner', capacity]] : []),
});
const actors: Actor[] = [
  anonymous('test'),
  { ...anonymous('test'), sysadmin: true },
  user('creator'),
  user('other'),
  user('other', 'member'),
  user('other', 'editor'),
  user('other', 'admin'),
];

it('finds a dataset exactly for the users who may read it', () => {
  for (const state of ['active', 'draft', 'deleted', 'odd'])
    for (const isPrivate of [false, true])
      for (const ownerId of ['owner', 'elsewhere', null])
        for (const actor of actors) {
          const facts = { state, private: isPrivate, ownerId, creatorId: 'creator' };
          const dataset = { ...facts, id: 'x', ownerOrganizationId: ownerId };
          const wanted = readerLabels(readerOf(actor));
          const isFound = wanted === null || labelsOf(facts).some((label) => wanted.includes(label));
          expect([facts, actor, isFound]).toEqual([facts, actor, mayReadDataset(actor, dataset, settings) === null]);
        }
});
