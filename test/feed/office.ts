/** A catalog with an organization and its editor, where a caller may have three streams open. */
import { afterAll, beforeAll } from '@jest/globals';
import { createWorld } from '../helpers/world.ts';

export type Office = Awaited<ReturnType<typeof createOffice>>;

async function createOffice() {
  const world = await createWorld({ 'catalog.limits.streams_per_caller': 3 });
  const editor = await world.make.user();
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor' } });
  /** A dataset of the organization, written by the editor. */
  const make = (name: string, fields: object = {}) =>
    world.result('package_create', { name, owner_org: 'office', ...fields }, { as: editor });
  return { world, editor, make };
}

/** Creates an office before the tests of a file, and ends it after them. */
export function withOffice(take: (office: Office) => void): void {
  let office: Office;
  beforeAll(async () => {
    office = await createOffice();
    take(office);
  });
  afterAll(() => office.world.end());
}
