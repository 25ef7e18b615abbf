/** Types of relationships between datasets. Each has a form for either end; the first form of its pair is stored. Pure. */
const PAIRS = [
  ['depends_on', 'dependency_of'],
  ['derives_from', 'has_derivation'],
  ['links_to', 'linked_from'],
  ['child_of', 'parent_of'],
] as const;

/** Every type, in the order in which clients see them. */
export const RELATIONSHIP_TYPES: readonly string[] = PAIRS.flat();

const INVERSE: ReadonlyMap<string, string> = new Map(PAIRS.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
const STORED: ReadonlySet<string> = new Set(PAIRS.map(([a]) => a));

/** The type as seen from the other end; undefined for an unknown type. */
export const inverseOf = (type: string): string | undefined => INVERSE.get(type);

/** A relationship between two datasets. */
export interface Link {
  readonly subjectId: string;
  readonly objectId: string;
  readonly type: string;
}

/** The form in which a relationship is stored. */
export const storedForm = <T extends Link>(link: T): T => (STORED.has(link.type) ? link : turned(link));

/** The same relationship from the other end. */
const turned = <T extends Link>(link: T): T => ({
  ...link,
  subjectId: link.objectId,
  objectId: link.subjectId,
  type: inverseOf(link.type) ?? link.type,
});

/**
 * The relationship with this dataset as its subject. A relationship of a dataset with itself is read from its object's
 * end, as recorded.
 */
export const seenFrom = <T extends Link>(link: T, datasetId: string): T =>
  link.objectId === datasetId ? turned(link) : link;

/** Whether two relationships are equivalent, from either end. */
export const sameLink = (a: Link, b: Link): boolean => fits(a, b) || fits(turned(a), b);

const fits = (a: Link, b: Link): boolean =>
  a.subjectId === b.subjectId && a.objectId === b.objectId && a.type === b.type;

/** The reason why a type is invalid; null for a valid one. */
export const checkType = (type: string): string | null =>
  INVERSE.has(type) ? null : `Value must be one of: ${RELATIONSHIP_TYPES.join('; ')} (not '${type}')`;
