/**
 * Objects that read actions show and that datasets alone do not bring: users, followers, members, views and the like. Written once by actions
 * and kept with the data, so an older state can write them too.
 */
import { dataset, groups, organizations } from '../corpus.mjs';
import { KEY, post } from '../data.mjs';

const USERS = 40;
const USER = 'reader-0';
const RELATED = 20;
const TERMS = 50;
const ROWS = 1_000;
/** Writes to one dataset: its revisions and activities. */
const CHANGES = 20;

/** Names and ids that the calls use. */
export async function addObjects(ask) {
  const hub = dataset(0);
  const call = async (action, params, key = KEY) => {
    const { success, result, error } = await ask(post(action, params, key));
    if (!success) throw new Error(`${action}: ${JSON.stringify(error)}`);
    return result;
  };
  const users = await call('user_list', {});
  if (!users.some(({ name }) => name === USER)) await write(call, hub);
  const { apikey } = await call('user_show', { id: USER });
  const resource = hub.resources[0].id;
  const [views, items, activities, revisions] = await Promise.all([
    call('resource_view_list', { id: resource }),
    call('related_list', { id: hub.id }),
    call('package_activity_list', { id: hub.id }),
    call('package_revision_list', { id: hub.id }),
  ]);
  return {
    user: USER,
    key: apikey,
    hub: hub.name,
    resource,
    table: dataset(1).resources[0].id,
    view: views[0].id,
    item: items[0].id,
    activity: activities[0].id,
    revision: revisions[0].id,
    vocabulary: 'places',
  };
}

async function write(call, hub) {
  const others = Array.from({ length: 10 }, (_, i) => dataset(i + 1))
    .filter((one) => !one.private)
    .slice(0, 5)
    .map(({ name }) => name);
  const resource = hub.resources[0].id;
  for (let i = 0; i < RELATED; i += 1)
    await call('related_create', { title: `App ${i}`, type: 'application', dataset_id: hub.id });
  for (const name of others)
    await call('package_relationship_create', { subject: hub.name, object: name, type: 'links_to' });
  for (const title of ['Table', 'Picture'])
    await call('resource_view_create', { resource_id: resource, title, view_type: 'image_view' });
  await call('vocabulary_create', {
    name: 'places',
    tags: Array.from({ length: 100 }, (_, i) => ({ name: `place-${i}` })),
  });
  await call('term_translation_update_many', {
    data: Array.from({ length: TERMS }, (_, i) => ({
      term: `term-${i}`,
      term_translation: `Wort ${i}`,
      lang_code: 'de',
    })),
  });
  const status = { entity_id: resource, entity_type: 'resource', task_type: 'bench' };
  for (const key of ['size', 'state']) await call('task_status_update', { ...status, key, value: '1' });
  await call('datastore_create', {
    resource_id: dataset(1).resources[0].id,
    force: true,
    fields: [
      { id: 'n', type: 'int' },
      { id: 'name', type: 'text' },
    ],
    records: Array.from({ length: ROWS }, (_, n) => ({ n, name: `row ${n}` })),
  });
  await addUsers(call, hub, others);
  for (let i = 0; i < CHANGES; i += 1) await call('package_patch', { id: hub.id, notes: `Change ${i}.` });
}

/** Creates the user who calls last: a run that does not find this user writes everything again. */
async function addUsers(call, hub, others) {
  for (let i = USERS - 1; i >= 0; i -= 1) {
    const name = `reader-${i}`;
    const { apikey } = await call('user_create', { name, email: `${name}@example.org`, password: `password-${i}` });
    await call('organization_member_create', { id: organizations[i % 5].name, username: name, role: 'editor' });
    await call('follow_dataset', { id: hub.name }, apikey);
    for (const id of [groups[0].name, organizations[0].name]) await call('follow_group', { id }, apikey);
    await call('follow_user', { id: 'bench' }, apikey);
    if (i > 0) continue;
    for (let j = 1; j < 20; j += 1) await call('follow_user', { id: `reader-${j}` }, apikey);
    for (const id of others) await call('follow_dataset', { id }, apikey);
    for (const { name: id } of [...groups.slice(1, 10), ...organizations.slice(1, 10)])
      await call('follow_group', { id }, apikey);
    for (let j = 0; j < 5; j += 1) await call('api_token_create', { user: name, name: `token-${j}` }, apikey);
  }
  for (let j = 0; j < 10; j += 1) await call('follow_user', { id: USER }, await keyOf(call, `reader-${j + 1}`));
}

const keyOf = async (call, id) => (await call('user_show', { id })).apikey;
