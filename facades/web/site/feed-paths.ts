/** Paths of the Atom feeds, which are those of CKAN. */

export const EVERYTHING = '/feeds/dataset.atom';

export const feedOf = (kind: 'organization' | 'group' | 'tag', name: string): string =>
  `/feeds/${kind}/${encodeURIComponent(name)}.atom`;
