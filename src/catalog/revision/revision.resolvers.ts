import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { toGlobalId } from '../../kernel/ids.ts';
import { lookUp } from '../../kernel/look-up.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import { objectConnection, revisionsOfGroupPage } from './pages.service.ts';
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
    revision: (_root, { id, databaseId }, { call }) => lookUp({ id, databaseId }, (by) => revisionShow(call, by)),
    revisions: (_root, args, { call }) => revisionConnection(call, args),
    revisionIds: (_root, args, { call }) => revisionIds(call, args),
    datasetRevisions: (_root, { id }, { call }) => datasetRevisions(call, id),
    groupRevisions: (_root, { id }, { call }) => groupRevisions(call, id),
  },
  Revision: {
    id: (revision) => toGlobalId('Revision', revision.id),
    databaseId: (revision) => revision.id,
    actor: ({ authorId }, _args, { loaders }) => (authorId === null ? null : loaders.userById.load(authorId)),
    objects: (revision, _args, { loaders }) => loaders.objectsByRevision.load(revision.id),
    objectConnection: (revision, args, { call, loaders }) => objectConnection(call, loaders, revision.id, args),
  },
  Group: { revisions: (group, args, { call, loaders }) => revisionsOfGroupPage(call, loaders, group.id, args) },
  Organization: { revisions: (owner, args, { call, loaders }) => revisionsOfGroupPage(call, loaders, owner.id, args) },
  RevisionConnection: connectionResolvers,
  RevisionObjectConnection: connectionResolvers,
  DatasetVersion: {
    revision: (copy, _args, { loaders }) => loaders.revisionById.load(copy.revisionId),
  },
};

export const revisionNodeReaders: NodeReaders = { Revision: revisionNodes };
