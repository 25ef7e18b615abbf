/** Kinds of relationships between datasets. Each can be said from either end; it is stored in the first form of its pair. Pure. */
const PAIRS = [
  ['depends_on', 'dependency_of'],
  ['derives_from', 'has_derivation'],
  ['links_to', 'linked_from'],
  ['child_of', 'parent_of'],
] as const;

/** Every type, in the order in which clients are told of them. */
export const RELATIONSHIP_TYPES: readonly string[] = PAIRS.flat();

const INVERSE: ReadonlyMap<string, string> = new Map(PAIRS.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
const STORED: ReadonlySet<string> = new Set(PAIRS.map(([a]) => a));

/** How the same is said from the other end; undefined for a word that is no type. */
export const inverseOf = (type: string): string | undefined => INVERSE.get(type);

/** A relationship between two datasets. */
export interface Link {
  readonly subjectId: string;
  readonly objectId: string;
  readonly type: string;
}

/** The form in which a relationship is stored when it is made by itself. */
export const storedForm = <T extends Link>(link: T): T => (STORED.has(link.type) ? link : turned(link));

/** The same from the other end. */
const turned = <T extends Link>(link: T): T => ({
  ...link,
  subjectId: link.objectId,
  objectId: link.subjectId,
  type: inverseOf(link.type) ?? link.type,
});

/** The same with this dataset as its subject; one of a dataset with itself is said from its object's end, as recorded. */
export const seenFrom = <T extends Link>(link: T, datasetId: string): T =>
  link.objectId === datasetId ? turned(link) : link;

/** Whether two say the same, from whichever ends. */
export const sameLink = (a: Link, b: Link): boolean => fits(a, b) || fits(turned(a), b);

const fits = (a: Link, b: Link): boolean =>
  a.subjectId === b.subjectId && a.objectId === b.objectId && a.type === b.type;

/** Why this is no type; null when it is one. */
export const checkType = (type: string): string | null =>
  INVERSE.has(type) ? null : `Value must be one of: ${RELATIONSHIP_TYPES.join('; ')} (not '${type}')`;
