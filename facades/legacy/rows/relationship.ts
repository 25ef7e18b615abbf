/** Relationships, under all forms of their addresses. */
import {
  LegacyRelationshipCreateDocument,
  LegacyRelationshipDeleteDocument,
  LegacyRelationshipListDocument,
  LegacyRelationshipUpdateDocument,
} from '../../../src/generated/operations.ts';
import { asText } from '../../../src/records/form/readers.ts';
import { relationshipDict } from '../../shared/wire/relationship.ts';
import { row } from '../define.ts';

const TYPES = [
  'depends_on',
  'dependency_of',
  'derives_from',
  'has_derivation',
  'links_to',
  'linked_from',
  'child_of',
  'parent_of',
];

const DATASET = '/rest/dataset/:id';

/** The comment of a body; empty when omitted. */
const commentOf = ({ comment }: Readonly<Record<string, unknown>>) => ({
  ...(comment != null && { comment: asText(comment) }),
});

const list = (path: string, type: string | null = null) =>
  row({
    method: 'GET',
    path,
    document: LegacyRelationshipListDocument,
    variables: ({ path }) => ({ dataset: path.id!, other: path.other ?? null, type }),
    result: ({ datasetRelationships }) => datasetRelationships.map(relationshipDict),
  });

/** All addresses of one type, which the contract puts into the path. */
const ofType = (type: string) => [
  list(`${DATASET}/${type}`, type),
  row({
    method: 'GET',
    path: `${DATASET}/${type}/:other`,
    document: LegacyRelationshipListDocument,
    variables: ({ path }) => ({ dataset: path.id!, other: path.other!, type }),
    result: ({ datasetRelationships }) => relationshipDict(datasetRelationships[0]!),
  }),
  row({
    method: 'POST',
    path: `${DATASET}/${type}/:other`,
    document: LegacyRelationshipCreateDocument,
    variables: ({ path, body }) => ({
      input: { subject: path.id!, object: path.other!, type, ...commentOf(body) },
    }),
    result: ({ createDatasetRelationship }) => relationshipDict(createDatasetRelationship.relationship!),
    created: (_data, { path }) =>
      `/rest/dataset/${encodeURIComponent(path.id!)}/${type}/${encodeURIComponent(path.other!)}`,
  }),
  row({
    method: 'PUT',
    path: `${DATASET}/${type}/:other`,
    document: LegacyRelationshipUpdateDocument,
    variables: ({ path, body }) => ({
      input: { subject: path.id!, object: path.other!, type, ...commentOf(body) },
    }),
    result: ({ updateDatasetRelationship }) => relationshipDict(updateDatasetRelationship.relationship!),
  }),
  row({
    method: 'DELETE',
    path: `${DATASET}/${type}/:other`,
    document: LegacyRelationshipDeleteDocument,
    variables: ({ path }) => ({ input: { subject: path.id!, object: path.other!, type } }),
    result: () => undefined,
  }),
];

export const relationshipRows = [
  list(`${DATASET}/relationships`),
  list(`${DATASET}/relationships/:other`),
  row({
    method: 'POST',
    path: `${DATASET}/relationships`,
    document: LegacyRelationshipCreateDocument,
    variables: ({ path, body }) => ({
      input: {
        subject: path.id!,
        object: asText(body.object ?? ''),
        type: asText(body.type ?? ''),
        ...commentOf(body),
      },
    }),
    result: ({ createDatasetRelationship }) => relationshipDict(createDatasetRelationship.relationship!),
    created: (_data, { path, body }) =>
      `/rest/dataset/${[path.id, body.type, body.object].map((part) => encodeURIComponent(asText(part))).join('/')}`,
  }),
  ...TYPES.flatMap(ofType),
];
