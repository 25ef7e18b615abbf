/** One object of each kind, and the kind of object that a parameter of an action names. */
import type { World } from './world.ts';

export type Kind = 'dataset' | 'resource' | 'group' | 'organization' | 'user' | 'tag' | 'vocabulary';
/** Ids of the objects, and the name of the tag. */
export type Known = Record<Kind, string>;

/** Creates a dataset of an organization with a tag and a resource, and one object of each other kind. */
export async function makeKnown({ make }: World): Promise<Known> {
  const organization = await make.organization();
  const vocabulary = await make.vocabulary();
  const dataset = await make.dataset({
    ownerOrganization: organization.id,
    tags: [{ name: 'water' }],
    resources: [{ url: 'http://example.com/a.csv' }],
  });
  return {
    dataset: dataset.id,
    resource: dataset.body.resources[0]!.id,
    organization: organization.id,
    vocabulary: vocabulary.id,
    group: (await make.group()).id,
    user: (await make.user()).id,
    tag: 'water',
  };
}

const NOUN = /^(package|dataset|resource|group|organization|user|tag|vocabulary)/;

/** The kind of object that a parameter of an action names. Undefined for no object, or for several. */
export function kindOf(action: string, param: string): Kind | undefined {
  const byParam =
    NOUN.exec(param)?.[1] ??
    { owner_org: 'organization', username: 'user', object: 'dataset', name_or_id: 'dataset' }[param];
  const byAction = param === 'id' ? (action.startsWith('member') ? 'organization' : NOUN.exec(action)?.[1]) : undefined;
  const kind = byParam ?? byAction;
  if (!kind || /s$/.test(param)) return undefined;
  return kind === 'package' ? 'dataset' : (kind as Kind);
}
