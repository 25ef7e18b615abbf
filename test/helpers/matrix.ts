/** Permissions of each role, by action: the matrix that test/action/authorization.test.ts checks, with default settings. */

export const ROLES = [
  'anonymous',
  'unknown',
  'deleted',
  'other',
  'member',
  'editor',
  'admin',
  'above',
  'sysadmin',
] as const;
/**
 * A visitor; a caller with an unknown key; a deleted user; a user without memberships; member, editor and admin of the organization
 * and the group; admin of the parent organization and of the parent group; a system administrator.
 */
export type Role = (typeof ROLES)[number];

/** States of a dataset. It belongs to the organization, except in the last state. */
export const STATES = ['public', 'private', 'draft', 'deleted', 'unowned'] as const;
export type State = (typeof STATES)[number];

export const ALL: readonly Role[] = ROLES;
const SYSADMINS: readonly Role[] = ['sysadmin'];
const ADMINS: readonly Role[] = ['admin', 'above', ...SYSADMINS];
const EDITORS: readonly Role[] = ['editor', ...ADMINS];
const MEMBERS: readonly Role[] = ['member', ...EDITORS];
const USERS: readonly Role[] = ['other', ...MEMBERS];
/** The user `other`, to whom actions on users apply. */
const SELF: readonly Role[] = ['other', ...SYSADMINS];

type PerState = Readonly<Record<State, readonly Role[]>>;
export const READ: PerState = { public: ALL, private: MEMBERS, draft: EDITORS, deleted: MEMBERS, unowned: ALL };
const EDIT: PerState = { public: EDITORS, private: EDITORS, draft: EDITORS, deleted: EDITORS, unowned: SYSADMINS };
const OWN: PerState = {
  public: SYSADMINS,
  private: SYSADMINS,
  draft: SYSADMINS,
  deleted: SYSADMINS,
  unowned: SYSADMINS,
};
/** Users who may relate the dataset to the anchor, another public dataset of the organization. */
const RELATE: PerState = { ...EDIT, unowned: EDITORS };
/** Signed-in users who may read the dataset. */
const JOIN = Object.fromEntries(
  STATES.map((state) => [state, READ[state].filter((role) => USERS.includes(role))]),
) as unknown as PerState;

/** Objects of one attempt. `unique` makes names that no other object has. */
export interface Scene {
  readonly unique: string;
  readonly dataset: string;
  readonly resource: string;
  readonly view: string;
  readonly related: string;
  readonly revision: string;
  /** A public dataset that no attempt deletes. */
  readonly anchor: string;
  readonly organization: string;
  readonly group: string;
  readonly user: string;
  readonly tag: string;
  readonly vocabulary: string;
  /** A task status of the resource. */
  readonly task: string;
  /** The first activity of the dataset. Only public datasets have one. */
  readonly activity: string;
  /** Id of a token of the user. */
  readonly token: string;
}

type Params = (scene: Scene) => Record<string, unknown>;

export interface Rule {
  /** Roles that may call it, by state of the dataset if it has one. Others get an Authorization Error or a Not Found Error. */
  readonly may: readonly Role[] | PerState;
  readonly params: Params;
  /** The object does not exist, such as a follower: a Not Found Error is then not a refusal. */
  readonly nothing?: true;
}

const rule = (may: Rule['may'], params: Params = () => ({})): Rule => ({ may, params });
const dataset = (may: PerState, params: Params = () => ({})) =>
  rule(may, (scene) => ({ id: scene.dataset, ...params(scene) }));
const resource = (may: PerState, params: Params = () => ({})) =>
  rule(may, (scene) => ({ id: scene.resource, ...params(scene) }));
const table = (may: PerState, params: Params = () => ({})) =>
  rule(may, (scene) => ({ resource_id: scene.resource, ...params(scene) }));
const view = (may: PerState, params: Params = () => ({})) =>
  rule(may, (scene) => ({ id: scene.view, ...params(scene) }));
const related = (may: PerState, params: Params = () => ({})) =>
  rule(may, (scene) => ({ id: scene.related, ...params(scene) }));
const group = (may: readonly Role[], params: Params = () => ({})) =>
  rule(may, (scene) => ({ id: scene.group, ...params(scene) }));
const organization = (may: readonly Role[], params: Params = () => ({})) =>
  rule(may, (scene) => ({ id: scene.organization, ...params(scene) }));
const user = (may: readonly Role[], params: Params = () => ({})) =>
  rule(may, (scene) => ({ id: scene.user, ...params(scene) }));
const fresh: Params = ({ unique }) => ({ name: unique });
const member: Params = ({ user }) => ({ username: user, role: 'member' });
const relationship: Params = (scene) => ({ subject: scene.dataset, object: scene.anchor, type: 'links_to' });
const relationshipRest: Params = (scene) => ({ id: scene.dataset, id2: scene.anchor, rel: 'links_to' });
const task: Params = ({ resource, unique }) => ({
  entity_id: resource,
  entity_type: 'resource',
  task_type: 'job',
  key: unique,
  value: 'New',
});
const text = { title: 'New' };

export const MATRIX: Readonly<Record<string, Rule>> = {
  // Tables
  datastore_search: table(READ),
  datastore_search_sql: rule(READ, ({ resource }) => ({ sql: `SELECT * FROM "${resource}"` })),
  datastore_info: resource(READ),
  datastore_create: table(EDIT, () => ({ force: true, records: [{ a: 'x' }] })),
  datastore_upsert: table(EDIT, () => ({ force: true, method: 'insert', records: [{ a: 'x' }] })),
  datastore_delete: table(EDIT, () => ({ force: true })),
  datastore_records_delete: table(EDIT, () => ({ force: true, filters: {} })),
  datastore_make_private: table(EDIT),
  datastore_make_public: table(EDIT),

  // Datasets
  package_show: dataset(READ),
  package_list: rule(ALL),
  current_package_list_with_resources: rule(ALL),
  package_search: rule(ALL, () => ({ rows: 100 })),
  package_autocomplete: rule(ALL, () => ({ q: 'zz' })),
  package_create: rule(EDITORS, ({ unique, organization }) => ({ name: unique, owner_org: organization })),
  package_update: dataset(EDIT, () => text),
  package_patch: dataset(EDIT, () => text),
  package_show_rest: dataset(READ),
  package_create_rest: rule(EDITORS, ({ unique, organization }) => ({ name: unique, owner_org: organization })),
  package_update_rest: dataset(EDIT, () => text),
  package_revise: rule(EDIT, (scene) => ({ match: { id: scene.dataset }, update: text })),
  package_delete: dataset(EDIT),
  dataset_purge: dataset(OWN),
  package_owner_org_update: dataset(OWN, ({ organization }) => ({ organization_id: organization })),
  package_resource_reorder: dataset(EDIT, ({ resource }) => ({ order: [resource] })),
  package_revision_list: dataset(READ),
  package_relationships_list: dataset(READ),
  package_relationship_create: rule(RELATE, relationship),
  package_relationship_update: rule(RELATE, relationship),
  package_relationship_delete: rule(RELATE, relationship),
  package_relationship_create_rest: rule(RELATE, relationshipRest),
  package_relationship_update_rest: rule(RELATE, relationshipRest),
  package_relationship_delete_rest: rule(RELATE, relationshipRest),
  package_create_default_resource_views: rule(EDIT, (scene) => ({ package: { id: scene.dataset } })),
  rating_create: rule(JOIN, (scene) => ({ package: scene.dataset, rating: 3 })),
  bulk_update_public: rule(ADMINS, (scene) => ({ org_id: scene.organization, datasets: [scene.dataset] })),
  bulk_update_private: rule(ADMINS, (scene) => ({ org_id: scene.organization, datasets: [scene.dataset] })),
  bulk_update_delete: rule(ADMINS, (scene) => ({ org_id: scene.organization, datasets: [scene.dataset] })),
  // Resources and their views
  resource_show: resource(READ),
  resource_search: rule(ALL, () => ({ query: 'name:zz' })),
  format_autocomplete: rule(ALL, () => ({ q: 'zz' })),
  resource_create: rule(EDIT, (scene) => ({ package_id: scene.dataset, url: 'http://example.com/new' })),
  resource_update: resource(EDIT, () => ({ url: 'http://example.com/new' })),
  resource_patch: resource(EDIT, () => ({ name: 'New' })),
  resource_delete: resource(EDIT),
  resource_view_list: resource(READ),
  resource_view_show: view(READ),
  resource_view_create: rule(EDIT, (scene) => ({ resource_id: scene.resource, title: 'New', view_type: 'image_view' })),
  resource_view_update: view(EDIT, (scene) => ({ resource_id: scene.resource, title: 'New', view_type: 'image_view' })),
  resource_view_delete: view(EDIT),
  resource_view_reorder: resource(EDIT, (scene) => ({ order: [scene.view] })),
  resource_view_clear: rule(SYSADMINS),
  resource_create_default_resource_views: rule(EDIT, (scene) => ({ resource: { id: scene.resource } })),
  resource_status_show: resource(READ),
  // Related items
  related_show: related(READ),
  related_list: dataset(READ),
  related_create: rule(JOIN, (scene) => ({ dataset_id: scene.dataset, title: 'New', type: 'idea' })),
  related_update: related(OWN, () => text),
  related_delete: related(EDIT),
  // Revisions
  revision_list: rule(ALL),
  revision_show: rule(ALL, (scene) => ({ id: scene.revision })),
  group_revision_list: group(ALL),
  organization_revision_list: organization(ALL),
  // Groups and organizations
  group_list: rule(ALL, () => ({ all_fields: true, include_datasets: true })),
  group_show: group(ALL, () => ({ include_datasets: true })),
  group_package_show: group(ALL),
  group_autocomplete: rule(ALL, () => ({ q: 'g' })),
  group_list_authz: rule(ALL),
  group_create: rule(SYSADMINS, fresh),
  group_update: group(ADMINS, () => text),
  group_patch: group(ADMINS, () => text),
  group_show_rest: group(ALL),
  group_create_rest: rule(SYSADMINS, fresh),
  group_update_rest: group(ADMINS, () => text),
  group_delete: group(ADMINS),
  group_purge: group(SYSADMINS),
  group_member_create: group(ADMINS, member),
  group_member_delete: group(ADMINS, member),
  organization_list: rule(ALL, () => ({ all_fields: true, include_datasets: true })),
  organization_show: organization(ALL, () => ({ include_datasets: true })),
  organization_autocomplete: rule(ALL, () => ({ q: 'o' })),
  organization_list_for_user: rule(ALL),
  organization_create: rule(SYSADMINS, fresh),
  organization_update: organization(ADMINS, () => text),
  organization_patch: organization(ADMINS, () => text),
  organization_delete: organization(ADMINS),
  organization_purge: organization(SYSADMINS),
  organization_member_create: organization(ADMINS, member),
  organization_member_delete: organization(ADMINS, member),
  member_list: organization(ALL),
  member_create: organization(ADMINS, ({ user }) => ({ object: user, object_type: 'user', capacity: 'member' })),
  member_delete: { ...organization(ADMINS, ({ user }) => ({ object: user, object_type: 'user' })), nothing: true },
  member_roles_list: rule(ALL),
  roles_show: rule(READ, (scene) => ({ domain_object: scene.dataset })),
  user_role_update: rule(ADMINS, ({ organization, user }) => ({
    domain_object: organization,
    user,
    roles: ['reader'],
  })),
  user_role_bulk_update: rule(ADMINS, ({ organization, user }) => ({
    domain_object: organization,
    user_roles: [{ user, roles: ['reader'] }],
  })),
  // Users
  user_list: rule(ALL),
  user_show: user(ALL, () => ({ include_datasets: true })),
  user_autocomplete: rule(ALL, () => ({ q: 'u' })),
  get_site_user: rule(SYSADMINS),
  user_create: rule(SYSADMINS, ({ unique }) => ({ name: unique, email: 'a@example.com', password: 'long enough' })),
  user_update: user(SELF, () => ({ email: 'b@example.com', fullname: 'New' })),
  user_patch: user(SELF, () => ({ fullname: 'New' })),
  user_delete: user(SYSADMINS),
  user_generate_apikey: user(SELF),
  user_invite: rule(SYSADMINS, ({ organization, unique }) => ({
    email: `${unique}@example.com`,
    group_id: organization,
    role: 'member',
  })),
  api_token_create: rule(SELF, ({ user }) => ({ user, name: 'New' })),
  api_token_list: rule(SELF, ({ user }) => ({ user_id: user })),
  api_token_revoke: rule(SELF, ({ token }) => ({ jti: token })),
  // Followers
  follow_dataset: dataset(JOIN),
  unfollow_dataset: { ...rule(USERS, (scene) => ({ id: scene.dataset })), nothing: true },
  am_following_dataset: dataset(JOIN),
  dataset_follower_count: dataset(READ),
  dataset_follower_list: dataset(OWN),
  follow_group: group(USERS),
  unfollow_group: { ...group(USERS), nothing: true },
  am_following_group: group(USERS),
  group_follower_count: group(ALL),
  group_follower_list: group(SYSADMINS),
  organization_follower_count: organization(ALL),
  organization_follower_list: organization(SYSADMINS),
  follow_user: user(USERS),
  unfollow_user: { ...user(USERS), nothing: true },
  am_following_user: user(USERS),
  user_follower_count: user(ALL),
  user_follower_list: user(SYSADMINS),
  followee_count: user(ALL),
  user_followee_count: user(ALL),
  dataset_followee_count: user(ALL),
  group_followee_count: user(ALL),
  followee_list: user(SELF),
  user_followee_list: user(SELF),
  dataset_followee_list: user(SELF),
  group_followee_list: user(SELF),
  organization_followee_list: user(SELF),
  // Activities
  user_activity_list: user(ALL),
  user_activity_list_html: user(ALL),
  package_activity_list: dataset(READ),
  package_activity_list_html: dataset(READ),
  group_activity_list: group(ALL),
  group_activity_list_html: group(ALL),
  organization_activity_list: organization(ALL),
  organization_activity_list_html: organization(ALL),
  recently_changed_packages_activity_list: rule(ALL),
  recently_changed_packages_activity_list_html: rule(ALL),
  activity_detail_list: rule(ALL, ({ activity }) => ({ id: activity })),
  activity_create: rule(SYSADMINS, ({ user, dataset }) => ({
    user_id: user,
    object_id: dataset,
    activity_type: 'changed package',
  })),
  dashboard_activity_list: rule(USERS),
  dashboard_activity_list_html: user(['other']),
  dashboard_new_activities_count: rule(USERS),
  dashboard_mark_activities_old: rule(USERS),
  send_email_notifications: rule(SYSADMINS),
  // Tags, vocabularies, translations
  tag_list: rule(ALL),
  tag_show_rest: rule(ALL, ({ tag }) => ({ id: tag })),
  tag_show: rule(ALL, ({ tag }) => ({ id: tag, include_datasets: true })),
  tag_search: rule(ALL, () => ({ query: 'zz' })),
  tag_autocomplete: rule(ALL, () => ({ query: 'zz' })),
  tag_create: rule(SYSADMINS, ({ unique, vocabulary }) => ({ name: unique, vocabulary_id: vocabulary })),
  tag_delete: rule(SYSADMINS, ({ tag }) => ({ id: tag })),
  vocabulary_list: rule(ALL),
  vocabulary_show: rule(ALL, ({ vocabulary }) => ({ id: vocabulary })),
  vocabulary_create: rule(SYSADMINS, fresh),
  vocabulary_update: rule(SYSADMINS, ({ vocabulary, unique }) => ({ id: vocabulary, name: unique })),
  vocabulary_delete: rule(SYSADMINS, ({ vocabulary }) => ({ id: vocabulary })),
  term_translation_show: rule(ALL, () => ({ terms: ['water'] })),
  term_translation_update: rule(SYSADMINS, () => ({ term: 'water', term_translation: 'Wasser', lang_code: 'de' })),
  term_translation_update_many: rule(SYSADMINS, () => ({
    data: [{ term: 'water', term_translation: 'Wasser', lang_code: 'de' }],
  })),
  // The site
  config_option_list: rule(SYSADMINS),
  config_option_show: rule(SYSADMINS, () => ({ id: 'catalog.site_title' })),
  config_option_update: rule(SYSADMINS, () => ({ 'catalog.site_title': 'New' })),
  task_status_show: rule(READ, (scene) => ({ id: scene.task })),
  task_status_update: rule(SYSADMINS, task),
  task_status_update_many: rule(SYSADMINS, (scene) => ({ data: [task(scene)] })),
  task_status_delete: rule(SYSADMINS, (scene) => ({ id: scene.task })),
  site_read: rule(ALL),
  status_show: rule(ALL),
  license_list: rule(ALL),
  help_show: rule(ALL, () => ({ name: 'package_show' })),
};
