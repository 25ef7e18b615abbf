import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { toGlobalId } from '../../kernel/ids.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import {
  datasetRevisions,
  groupRevisions,
  revisionConnection,
  revisionIds,
  revisionNodes,
  revisionShow,
} from './revision.service.ts';

export const revisionResolvers: Resolvers = {
  Query: {
    revision: (_root, { id }, { call }) => revisionShow(call, id),
    revisions: (_root, args, { call }) => revisionConnection(call, args),
    revisionIds: (_root, args, { call }) => revisionIds(call, args),
    datasetRevisions: (_root, { idOrName }, { call }) => datasetRevisions(call, idOrName),
    groupRevisions: (_root, { idOrName }, { call }) => groupRevisions(call, idOrName),
  },
  Revision: {
    id: (revision) => toGlobalId('Revision', revision.id),
    databaseId: (revision) => revision.id,
    createdAt: (revision) => revision.at,
    actor: ({ authorId }, _args, { loaders }) => (authorId === null ? null : loaders.userById.load(authorId)),
    objects: (revision, _args, { loaders }) => loaders.objectsByRevision.load(revision.id),
  },
  RevisionConnection: connectionResolvers,
  DatasetVersion: {
    revision: (copy, _args, { loaders }) => loaders.revisionById.load(copy.revisionId),
  },
};

export const revisionNodeReaders: NodeReaders = { Revision: revisionNodes };
