/** One object of each kind, and which parameters of actions name one of a kind. */
import type { World } from './world.ts';

export type Kind = 'dataset' | 'resource' | 'group' | 'organization' | 'user' | 'tag' | 'vocabulary';
/** Ids; of the tag its name. */
export type Known = Record<Kind, string>;

/** A dataset of an organization with a tag and a resource, and one of all else. */
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

/** What a parameter of an action names one of; undefined when it names nothing, or more than one. */
export function kindOf(action: string, param: string): Kind | undefined {
  const byParam =
    NOUN.exec(param)?.[1] ??
    { owner_org: 'organization', username: 'user', object: 'dataset', name_or_id: 'dataset' }[param];
  const byAction = param === 'id' ? (action.startsWith('member') ? 'organization' : NOUN.exec(action)?.[1]) : undefined;
  const kind = byParam ?? byAction;
  if (!kind || /s$/.test(param)) return undefined;
  return kind === 'package' ? 'dataset' : (kind as Kind);
}
