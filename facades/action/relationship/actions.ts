import {
  ActionRelationshipCreateDocument,
  ActionRelationshipDeleteDocument,
  ActionRelationshipListDocument,
  ActionRelationshipUpdateDocument,
} from '../../../src/generated/operations.ts';
import { relationshipDict } from '../../shared/wire/relationship.ts';
import { action, type Params, type Read } from '../define.ts';
import { neededText, present, text } from '../params.ts';
import { listOf, NULL, ref } from '../schema.ts';

const ends = {
  subject: neededText('Id or name of the dataset that is the subject.'),
  object: neededText('Id or name of the dataset that is the object.'),
  type: neededText(
    'depends_on, dependency_of, derives_from, has_derivation, links_to, linked_from, child_of or parent_of, from the subject to the object.',
  ),
};
const comment = text('Free text. Default: empty.');

/** The same parameters by their names in the legacy REST API. */
const restEnds = { id: ends.subject, id2: ends.object, rel: ends.type };
interface Ends {
  subject: string;
  object: string;
  type: string;
}

const create = <P extends Params>(params: P, endsOf: (read: Read<P>) => Ends) =>
  action({
    kind: 'write',
    summary:
      'Creates a relationship between two datasets. If it exists, changes its comment. The caller must be able to read both datasets and change one of them.',
    returns: 'The stored relationship dictionary.',
    answers: ref('Relationship'),
    document: ActionRelationshipCreateDocument,
    params: { ...params, comment },
    variables: (p) => ({ input: { ...endsOf(p as Read<P>), comment: p.comment } }),
    result: ({ createDatasetRelationship }) => relationshipDict(createDatasetRelationship.relationship!),
  });

const update = <P extends Params>(params: P, endsOf: (read: Read<P>) => Ends) =>
  action({
    kind: 'write',
    summary:
      'Changes the comment of a relationship between two datasets. The caller must be able to read both datasets and change one of them.',
    returns: 'The stored relationship dictionary.',
    answers: ref('Relationship'),
    document: ActionRelationshipUpdateDocument,
    params: { ...params, comment },
    variables: (p) => ({ input: { ...endsOf(p as Read<P>), comment: p.comment } }),
    result: ({ updateDatasetRelationship }) => relationshipDict(updateDatasetRelationship.relationship!),
  });

const drop = <P extends Params>(params: P, endsOf: (read: Read<P>) => Ends) =>
  action({
    kind: 'write',
    summary:
      'Deletes a relationship between two datasets. The caller must be able to read both datasets and change one of them.',
    returns: 'Null.',
    answers: NULL,
    document: ActionRelationshipDeleteDocument,
    params,
    variables: (p) => ({ input: endsOf(p) }),
    result: () => null,
  });

export const relationshipActions = {
  package_relationships_list: action({
    kind: 'read',
    summary: 'Lists the relationships of a dataset with datasets that the caller may read.',
    differs:
      'The caller must be able to read the dataset. Omits relationships with datasets that the caller may not read.',
    returns: 'List of relationship dictionaries, with the dataset as subject, sorted by the time of their last change.',
    answers: listOf(ref('Relationship')),
    document: ActionRelationshipListDocument,
    params: {
      id: present(text('Id or name of the dataset.')),
      id2: text('Id or name of the other dataset. Default: all.'),
      rel: text('Only relationships of this type. Default, and for `relationships`: all types.'),
    },
    variables: (p) => ({
      dataset: p.id,
      other: p.id2 || null,
      type: p.rel && p.rel !== 'relationships' ? p.rel : null,
    }),
    result: ({ datasetRelationships }) => datasetRelationships.map(relationshipDict),
  }),
  package_relationship_create: create(ends, ({ subject, object, type }) => ({ subject, object, type })),
  package_relationship_update: update(
    { ...ends, id: text('Ignored. `subject`, `object` and `type` identify the relationship.') },
    ({ subject, object, type }) => ({ subject, object, type }),
  ),
  package_relationship_delete: drop(ends, ({ subject, object, type }) => ({ subject, object, type })),
  package_relationship_create_rest: create(restEnds, ({ id, id2, rel }) => ({ subject: id, object: id2, type: rel })),
  package_relationship_update_rest: update(restEnds, ({ id, id2, rel }) => ({ subject: id, object: id2, type: rel })),
  package_relationship_delete_rest: drop(restEnds, ({ id, id2, rel }) => ({ subject: id, object: id2, type: rel })),
};
