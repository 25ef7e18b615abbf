/** Paths of the Atom feeds, which are those of CKAN. */

export const EVERYTHING = { title: 'New and changed datasets', path: '/feeds/dataset.atom' } as const;

export const feedOf = (kind: 'organization' | 'group' | 'tag', name: string): string =>
  `/feeds/${kind}/${encodeURIComponent(name)}.atom`;
