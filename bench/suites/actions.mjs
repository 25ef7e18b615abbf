/** CPU of every read action of the action table, called with typical parameters. The list comes from the running server. */
import { dataset, groups, organizations, randomOf } from '../corpus.mjs';
import { KEY } from '../data.mjs';
import { TAGS } from '../words.mjs';
import { addObjects } from './actions.data.mjs';

/** Short measurements: there are about 100 of them. */
export const defaults = { seconds: 0.2, rounds: 5, warmUp: 0.5 };

/** Different names requested in one measurement. */
const NAMES = 500;
const OK = '"success":true';

/** Goal of a run beside an older state: the maximum cost of moving statements. */
export const againstGoal = {
  text: '≤ 2 ms more and ≤ 2 ×',
  met: ({ more, ratio }) => more <= 2 && ratio <= 2,
};

/** The measurements. `ask` sends one request to the catalog and returns the parsed body. */
export async function measurements({ datasets, ask }) {
  const objects = await addObjects(ask);
  const random = randomOf('actions');
  const isPublic = Array.from({ length: datasets }, (_, i) => dataset(i)).filter((one) => !one.private);
  const chosen = Array.from({ length: NAMES }, () => random.pick(isPublic));
  const table = parametersOf({ ...objects, chosen });
  const names = await readActions(ask);
  const missing = Object.keys(table).filter((name) => !names.includes(actionOf(name)));
  if (missing.length > 0) throw new Error(`the action table has no ${missing.join(', ')}`);
  const others = Object.fromEntries(names.filter((name) => !Object.hasOwn(table, name)).map((name) => [name, [{}]]));
  return Object.entries({ ...table, ...others })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, calls]) => {
      const requests = calls.map(({ as, ...params }) => request(actionOf(name), params, as));
      return { server: 'catalog', connections: 1, expect: OK, name, requests: () => requests };
    });
}

/** `package_show: signed in` is a second row of `package_show`. */
const actionOf = (name) => name.split(':')[0];

/** Names of all read actions: those with a GET in the description of the API. */
async function readActions(ask) {
  const { paths } = await ask({ path: '/openapi.json' });
  const prefix = '/api/3/action/';
  return Object.keys(paths)
    .filter((path) => path.startsWith(prefix) && paths[path].get)
    .map((path) => path.slice(prefix.length));
}

const request = (name, params, key) => ({
  path: `/api/3/action/${name}?${new URLSearchParams(params)}`.replace(/\?$/, ''),
  headers: key ? { authorization: key } : {},
});

/** Parameters of actions; `as` is the caller's key. Actions that are not listed are called without parameters, anonymously. */
function parametersOf({ user, key, hub, resource, table, view, item, activity, revision, vocabulary, chosen }) {
  const [organization, group] = [organizations[0].name, groups[0].name];
  const each = (params) => chosen.map(params);
  const ids = each(({ name }) => ({ id: name }));
  const page = { limit: '20' };
  const one = (id, params) => [{ id, ...params }];
  return {
    am_following_dataset: one(hub, { as: key }),
    am_following_group: one(group, { as: key }),
    am_following_user: one('bench', { as: key }),
    activity_detail_list: one(activity),
    api_token_list: [{ user, as: key }],
    config_option_list: [{ as: KEY }],
    config_option_show: one('catalog.site_title', { as: KEY }),
    current_package_list_with_resources: [page],
    dashboard_activity_list: [{ as: key }],
    dashboard_activity_list_html: one(user, { as: key }),
    dashboard_new_activities_count: [{ as: key }],
    dataset_followee_count: one(user),
    dataset_followee_list: one(user, { as: key }),
    dataset_follower_count: one(hub),
    dataset_follower_list: one(hub, { as: KEY }),
    datastore_info: one(table),
    datastore_search: [{ resource_id: table, limit: '100' }],
    datastore_search_sql: [{ sql: `SELECT n, name FROM "${table}" WHERE n < 100` }],
    followee_count: one(user),
    followee_list: one(user, { as: key }),
    format_autocomplete: [{ q: 'cs' }],
    get_site_user: [{ as: KEY }],
    group_activity_list: one(group),
    group_activity_list_html: one(group),
    group_autocomplete: [{ q: 'the' }],
    group_followee_count: one(user),
    group_followee_list: one(user, { as: key }),
    group_follower_count: one(group),
    group_follower_list: one(group, { as: KEY }),
    'group_list: all fields': [{ all_fields: 'true' }],
    group_list_authz: [{ as: key }],
    group_package_show: one(group, page),
    group_revision_list: one(group),
    group_show: one(group),
    group_show_rest: one(group),
    help_show: [{ name: 'package_show' }],
    member_list: one(organization, { object_type: 'user', as: key }),
    organization_activity_list: one(organization),
    organization_activity_list_html: one(organization),
    organization_autocomplete: [{ q: 'off' }],
    organization_followee_list: one(user, { as: key }),
    organization_follower_count: one(organization),
    organization_follower_list: one(organization, { as: KEY }),
    'organization_list: all fields': [{ all_fields: 'true' }],
    organization_list_for_user: [{ as: key }],
    organization_revision_list: one(organization),
    organization_show: one(organization),
    package_activity_list: one(hub),
    package_activity_list_html: one(hub),
    package_autocomplete: each(({ title }) => ({ q: title.slice(0, 5) })),
    package_relationships_list: one(hub),
    package_revision_list: one(hub),
    package_search: each(({ title }) => ({ q: title.split(' ')[0], rows: '20' })),
    package_show: ids,
    'package_show: signed in': ids.map((params) => ({ ...params, as: key })),
    'package_show: with relationships': one(hub),
    package_show_rest: ids,
    recently_changed_packages_activity_list: [page],
    recently_changed_packages_activity_list_html: [page],
    related_list: one(hub),
    related_show: one(item),
    resource_search: [{ query: 'format:csv', ...page }],
    resource_show: each(({ resources }) => ({ id: resources[0].id })),
    resource_status_show: one(resource, { as: KEY }),
    resource_view_list: one(resource),
    resource_view_show: one(view),
    revision_list: [page],
    revision_show: one(revision),
    roles_show: [{ domain_object: organization, as: key }],
    tag_autocomplete: [{ query: 'tra' }],
    'tag_list: all fields': [{ all_fields: 'true' }],
    tag_search: [{ query: 'tra' }],
    tag_show: TAGS.slice(0, 8).map((id) => ({ id })),
    tag_show_rest: TAGS.slice(0, 8).map((id) => ({ id })),
    task_status_show: [{ entity_id: resource, task_type: 'bench', key: 'size' }],
    term_translation_show: [{ terms: 'term-1' }],
    user_activity_list: one('bench'),
    user_activity_list_html: one('bench'),
    user_autocomplete: [{ q: 'ben' }],
    user_followee_count: one(user),
    user_followee_list: one(user, { as: key }),
    user_follower_count: one(user),
    user_follower_list: one(user, { as: KEY }),
    user_list: [{}],
    user_show: one(user),
    'user_show: with datasets': one('bench', { include_datasets: 'true', as: KEY }),
    vocabulary_show: one(vocabulary),
  };
}
