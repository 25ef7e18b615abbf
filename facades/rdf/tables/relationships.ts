/**
 * Relationships between datasets, said from this dataset's end. Documents hold those alone whose other end the reader may read. Datasets
 * are named by their URNs, which each is the same as: documents know no names of others, and names change.
 */
import { type Reader, type Row, type Source, WHOLE } from '../mapping.ts';
import { each, urn } from '../readers.ts';

/** As the catalog stores them: a type and its inverse, each with its predicate. */
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

/** The datasets to which this one stands in a relationship of a type; from their end it is the inverse. */
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
