import {
  ActionDatasetRevisionListDocument,
  ActionGroupRevisionListDocument,
  ActionRevisionListDocument,
  ActionRevisionShowDocument,
} from '../../../src/generated/operations.ts';
import { objectsOf, revisionDict } from '../../shared/wire/revision.ts';
import { action } from '../define.ts';
import { int, objectId, present, text } from '../params.ts';
import { listOf, ref, TEXT } from '../schema.ts';

/** An omitted or empty id has the error text of the group actions. */
const groupId = {
  ...objectId(text('Id or name of the group or organization.'), 'Group'),
  read: (raw: unknown): string => objectId(text(''), 'Group').read(raw ?? '', 'id'),
};

const ofGroup = (what: 'a group' | 'an organization') =>
  action({
    kind: 'read',
    summary: `Lists the revisions of ${what}: changes of its fields and members, and datasets added or removed.`,
    returns: 'List of dictionaries of the revisions that changed objects the caller may read, newest first.',
    answers: listOf(ref('Revision')),
    document: ActionGroupRevisionListDocument,
    params: { id: groupId },
    variables: (p) => ({ id: p.id }),
    result: ({ groupRevisions }) => groupRevisions.map(revisionDict),
  });

export const revisionActions = {
  revision_list: action({
    kind: 'read',
    summary: 'Lists the ids of the revisions that changed objects the caller may read.',
    returns: 'List of revision ids, newest first.',
    answers: listOf(TEXT),
    document: ActionRevisionListDocument,
    params: {
      limit: int('Maximum number of results. Default: all.'),
      offset: int('Number of results to skip.'),
    },
    variables: (p) => ({ limit: p.limit, offset: p.offset }),
    result: ({ revisionIds }) => revisionIds,
  }),
  revision_show: action({
    kind: 'read',
    summary: 'Shows a revision: its author, time, message and changed objects.',
    returns: 'Revision dictionary with the names of the changed datasets (`packages`) and groups.',
    answers: ref('Revision'),
    document: ActionRevisionShowDocument,
    params: { id: present(text('Id of the revision.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ revision }) => {
      const { objects, ...rest } = revision;
      return {
        ...revisionDict(rest),
        packages: objectsOf(objects, ['DATASET'], 'name'),
        groups: objectsOf(objects, ['GROUP', 'ORGANIZATION'], 'name'),
      };
    },
  }),
  package_revision_list: action({
    kind: 'read',
    summary: 'Lists the revisions of a dataset.',
    returns:
      'List of revision dictionaries, newest first. Omits revisions whose version of the dataset the caller may not read.',
    answers: listOf(ref('Revision')),
    document: ActionDatasetRevisionListDocument,
    params: { id: present(text('Id or name of the dataset.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ datasetRevisions }) => datasetRevisions.map(revisionDict),
  }),
  group_revision_list: ofGroup('a group'),
  organization_revision_list: ofGroup('an organization'),
};
