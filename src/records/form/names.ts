import { columnOf } from '../../kernel/text.ts';

/** Maps field names of the graph to wire names, where camelCase → snake_case is not enough. */
const SPECIAL: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ownerOrganization: 'owner_org',
    first: 'limit',
    label: 'version',
    fullName: 'fullname',
    openId: 'openid',
    emailNotifications: 'activity_streams_email_notifications',
    relationshipsAsSubject: 'relationships_as_subject',
    relationshipsAsObject: 'relationships_as_object',
    group: 'id',
    user: 'username',
    datasets: 'packages',
    parents: 'groups',
    databaseId: 'id',
    parent: 'name',
    viewId: 'id',
    taskId: 'id',
    statuses: 'data',
    force: 'read-only',
    aliases: 'alias',
    primaryKey: 'index',
    indexes: 'index',
    facetFields: 'facet.field',
    facetLimit: 'facet.limit',
    facetMinCount: 'facet.mincount',
  }),
);

/** Wire name of a field. Wire names stay unchanged. */
export const wireName = (name: string): string => SPECIAL.get(name) ?? columnOf(name);
