/** Actions that are not in the table, for docs/actions.md; a house test compares with the actions of the reference. */

/** Not offered, and why. */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  datastore_search_htsql:
    'the HTSQL extension is no part of this service (ruling 10); datastore_search_sql joins tables too.',
};

/** Of the reference, and not built yet: what they wait for. A name that stands in the table by now counts as built. */
export const NOT_YET: Readonly<Record<string, string>> = Object.fromEntries([
  ...later('the DataStore', 'datastore', [
    'create',
    'delete',
    'info',
    'make_private',
    'make_public',
    'search',
    'search_sql',
    'upsert',
  ]),
  ...later('the legacy REST interface, whose shapes they answer', 'package', [
    'create_rest',
    'relationship_create_rest',
    'relationship_delete_rest',
    'relationship_update_rest',
    'show_rest',
    'update_rest',
  ]),
  ...later('the legacy REST interface, whose shapes they answer', 'group', ['create_rest', 'show_rest', 'update_rest']),
  ...later('the legacy REST interface, whose shapes they answer', 'tag', ['show_rest']),
  ...later('activity streams', 'dashboard', [
    'activity_list',
    'activity_list_html',
    'mark_activities_old',
    'new_activities_count',
  ]),
  ...['group', 'organization', 'package', 'recently_changed_packages', 'user'].flatMap((what) =>
    later('activity streams', what, ['activity_list', 'activity_list_html']),
  ),
  ...later('activity streams', 'activity', ['create', 'detail_list']),
  ...later('activity streams', 'send', ['email_notifications']),
  ...later('changes of many datasets at once', 'bulk', ['update_delete', 'update_private', 'update_public']),
  ...later('settings that change while the site runs', 'config', ['option_list', 'option_show', 'option_update']),
  ...later('task statuses', 'task', ['status_delete', 'status_show', 'status_update', 'status_update_many']),
  ...later('task statuses', 'resource', ['status_show']),
  ...later('invitations by e-mail', 'user', ['invite']),
]);

function later(what: string, noun: string, verbs: readonly string[]): [string, string][] {
  return verbs.map((verb) => [`${noun}_${verb}`, what]);
}
