/**
 * Relationships between datasets, from this dataset's side. Documents include only those whose other dataset the reader may read. They
 * identify datasets by URN, because names change and documents do not contain the names of others.
 */
import { type Reader, type Row, type Source, WHOLE } from '../mapping.ts';
import { each, urn } from '../readers.ts';

/** In the catalog's notation: a type and its inverse, each with a predicate. */
const PAIRS = [
  [
    ['depends_on', 'dct:requires'],
    ['dependency_of', 'dct:isRequiredBy'],
  ],
  [
    ['derives_from', 'prov:wasDerivedFrom'],
    ['has_derivation', 'prov:hadDerivation'],
  ],
  [
    ['links_to', 'dct:references'],
    ['linked_from', 'dct:isReferencedBy'],
  ],
  [
    ['child_of', 'dct:isPartOf'],
    ['parent_of', 'dct:hasPart'],
  ],
] as const;

interface Relationship {
  readonly type: string;
  readonly __extras: { readonly subject_package_id: string; readonly object_package_id: string };
}

/** Datasets related by a type. From the other side it is the inverse. */
const related =
  (type: string, inverse: string): Reader =>
  (source: Source, mapping) => {
    const list = (field: string) => (source.get(field) ?? []) as readonly Relationship[];
    return each(urn)(
      [
        ...list('relationships_as_subject').flatMap((it) => (it.type === type ? it.__extras.object_package_id : [])),
        ...list('relationships_as_object').flatMap((it) => (it.type === inverse ? it.__extras.subject_package_id : [])),
      ],
      mapping,
    );
  };

export const relationships: readonly Row[] = PAIRS.flatMap(([[type, said], [inverse, unsaid]]): Row[] => [
  [WHOLE, said, related(type, inverse)],
  [WHOLE, unsaid, related(inverse, type)],
]);
