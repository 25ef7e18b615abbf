import {
  LegacyGroupCreateDocument,
  LegacyGroupDeleteDocument,
  LegacyGroupListDocument,
  LegacyGroupShowDocument,
  LegacyGroupUpdateDocument,
} from '../../../src/generated/operations.ts';
import { groupChanges, legacyGroup, newGroup } from '../../shared/legacy/group.ts';
import { row } from '../define.ts';

export const groupRows = [
  row({
    method: 'GET',
    path: '/rest/group',
    document: LegacyGroupListDocument,
    variables: () => ({}),
    result: ({ groupList }, { version }) => groupList.map(({ id, name }) => (version === 1 ? name : id)),
  }),
  row({
    method: 'POST',
    path: '/rest/group',
    document: LegacyGroupCreateDocument,
    variables: ({ body }) => ({ input: newGroup(body) }),
    result: ({ createGroup }, { version }) => legacyGroup(createGroup.group!, version),
    created: ({ createGroup }) => `/rest/group/${encodeURIComponent(createGroup.group!.id)}`,
    version: ({ createGroup }) => createGroup.group?.version,
  }),
  row({
    method: 'GET',
    path: '/rest/group/:id',
    document: LegacyGroupShowDocument,
    variables: ({ path }) => ({ id: path.id! }),
    result: ({ group }, { version }) => legacyGroup(group, version),
    version: ({ group }) => group?.version,
  }),
  row({
    method: 'PUT',
    path: '/rest/group/:id',
    document: LegacyGroupUpdateDocument,
    looksAtVersion: true,
    variables: ({ path, body, expectedVersion }) => ({
      input: { ...groupChanges(body), group: path.id!, expectedVersion },
    }),
    result: ({ updateGroup }, { version }) => legacyGroup(updateGroup.group!, version),
    version: ({ updateGroup }) => updateGroup.group?.version,
  }),
  row({
    method: 'DELETE',
    path: '/rest/group/:id',
    document: LegacyGroupDeleteDocument,
    looksAtVersion: true,
    variables: ({ path, expectedVersion }) => ({ input: { group: path.id!, expectedVersion } }),
    result: () => undefined,
  }),
];
