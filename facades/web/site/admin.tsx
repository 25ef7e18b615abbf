/** Serves `/ckan-admin`: users and administrators, settings, the trash, and jobs. For system administrators. */
import { Router } from 'express';
import type { ComponentChildren } from 'preact';
import {
  PageAdminUsersDocument,
  type PageAdminUsersQuery,
  PageDeleteUserDocument,
  PagePurgeDatasetDocument,
  PagePurgeGroupDocument,
  PagePurgeOrganizationDocument,
  PageSiteOptionsDocument,
  type PageSiteOptionsQuery,
  PageTrashDocument,
  type PageTrashQuery,
  PageUpdateSiteOptionsDocument,
  PageUpdateUserDocument,
} from '../../../src/generated/operations.ts';
import { CatalogError, notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { hashOf } from '../../shared/packed.ts';
import { DeletePage } from './delete-page.tsx';
import { addEditForm, type EditForm } from './edit-form.ts';
import { Form } from './form.tsx';
import { baseOf, type FormFields, plain, type Texts } from './form-texts.ts';
import type { Frame } from './frame.ts';
import { addJobs } from './jobs.tsx';
import { Layout } from './layout.tsx';
import { ObjectFormPage } from './object-form-page.tsx';
import { NextPage } from './pagination.tsx';
import { SearchBox } from './search-box.tsx';
import { first as firstOf, hrefOf } from './search-query.ts';
import { ADMIN_TABS, Tabs } from './tabs.tsx';
import { useTexts } from './use-texts.ts';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const PER_PAGE = 50;

export function adminRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const first = Math.min(PER_PAGE, options.rows);
  const visit = (work: (visit: Visit) => Promise<void>) =>
    visitingOrLogin(options, (v) => {
      // Lists of users are public; their administration is not.
      if (!v.frame.viewer?.sysadmin) throw notAuthorized('only system administrators may see this page');
      return work(v);
    });
  router.get(
    '/ckan-admin',
    visit((v) => showUsers(v, first)),
  );
  router.post('/ckan-admin/users/:name', visit(changeUser));
  router.get('/ckan-admin/reset_config', visit(showReset));
  router.post('/ckan-admin/reset_config', visit(reset));
  router.get(
    '/ckan-admin/trash',
    visit((v) => showTrash(v, first)),
  );
  router.post('/ckan-admin/trash/:kind/:id', visit(purge));
  addJobs(router, visit, first);
  addEditForm(router, options, SETTINGS);
  return router;
}

/** Lists of users, by the value of the parameter `list`. */
const LISTS = { sysadmins: { sysadmin: true }, all: {}, deleted: { deleted: true } } as const;
const LIST_LABELS = { sysadmins: 'admin.sysadmins', all: 'admin.all', deleted: 'admin.deletedUsers' } as const;
type List = keyof typeof LISTS;

async function showUsers(v: Visit, first: number): Promise<void> {
  const { t } = v.frame.texts;
  const q = firstOf(v.req.query.q).trim();
  const after = firstOf(v.req.query.after);
  const chosen = firstOf(v.req.query.list);
  const list: List = Object.hasOwn(LISTS, chosen) ? (chosen as List) : q ? 'all' : 'sysadmins';
  const variables = { where: { ...LISTS[list], text: q || null }, first, after: after || null };
  const { users } = await v.run(PageAdminUsersDocument, variables, v.call);
  const next = users.pageInfo.hasNextPage
    ? hrefOf('/ckan-admin', [
        ['list', list],
        ['q', q],
        ['after', users.pageInfo.endCursor!],
      ])
    : null;
  v.page(
    <Layout frame={v.frame} title={t('layout.users')}>
      <h1>{t('admin.title')}</h1>
      <Tabs tabs={ADMIN_TABS} current="/ckan-admin" />
      <SearchBox path="/ckan-admin" q={q} label={t('admin.searchUsers')} />
      <p class="row">
        {(Object.keys(LISTS) as List[]).map((key) => (
          <a key={key} href={hrefOf('/ckan-admin', [['list', key]])} aria-current={key === list ? 'page' : undefined}>
            {t(LIST_LABELS[key])}
          </a>
        ))}
      </p>
      <p class="count" role="status">
        {t('count.user', { count: users.totalCount })}
      </p>
      <ul class="plain">
        {users.nodes.map((user) => (
          <UserItem key={user.name} frame={v.frame} user={user} />
        ))}
      </ul>
      <NextPage href={next} />
    </Layout>,
  );
}

type ListedUser = NonNullable<PageAdminUsersQuery['users']>['nodes'][number];

function UserItem({ frame, user }: { frame: Frame; user: ListedUser }) {
  const { name, displayName, email, sysadmin, state } = user;
  const { t } = useTexts();
  const isOwn = frame.viewer?.name === name;
  const button = (value: UserVerb, verb: string) => (
    <button
      type="submit"
      name="verb"
      value={value}
      class="link"
      aria-label={t('admin.verbNamed', { verb, name: displayName })}
    >
      {verb}
    </button>
  );
  return (
    <li class="row">
      <a href={`/user/${encodeURIComponent(name)}`}>{displayName}</a>
      {email && <span class="hint">{email}</span>}
      {sysadmin && <span class="badge">{t('admin.sysadmin')}</span>}
      {/* Administrators cannot lock themselves out. */}
      {!isOwn && (
        <Form action={`/ckan-admin/users/${encodeURIComponent(name)}`} token={frame.token}>
          <span class="row">
            {state === 'deleted' ? (
              button('restore', t('edit.restore'))
            ) : (
              <>
                {sysadmin ? button('demote', t('admin.demote')) : button('promote', t('admin.promote'))}
                {button('delete', t('edit.delete'))}
              </>
            )}
          </span>
        </Form>
      )}
    </li>
  );
}

type UserVerb = 'promote' | 'demote' | 'delete' | 'restore';

async function changeUser(v: Visit): Promise<void> {
  const user = v.req.params.name!;
  const { verb, confirmed } = v.form;
  const changes = { promote: { sysadmin: true }, demote: { sysadmin: false }, restore: { state: 'active' } } as const;
  if (verb === 'delete' && confirmed !== 'true') {
    const text = v.frame.texts.t('admin.deleteUserText');
    const action = `/ckan-admin/users/${encodeURIComponent(user)}`;
    const props = { frame: v.frame, what: 'user', title: user, text, action, back: '/ckan-admin' };
    return v.page(<DeletePage {...props} texts={{ verb, confirmed: 'true' }} />);
  }
  if (verb === 'delete') await v.run(PageDeleteUserDocument, { input: { user } }, v.call);
  else if (verb && Object.hasOwn(changes, verb)) {
    const input = { user, ...changes[verb as keyof typeof changes] };
    await v.run(PageUpdateUserDocument, { input }, v.call);
  }
  v.goTo(hrefOf('/ckan-admin', [['list', verb === 'restore' ? 'deleted' : 'sysadmins']]));
}

type Options = NonNullable<PageSiteOptionsQuery['siteOptions']>;

/** Settings with texts of several lines. */
const LONG = /_(custom_css|about|text)$/;
/** Names of settings have a dot; other texts of the form have none, except the choices of a conflict. */
const isSetting = (name: string): boolean => name.includes('.') && !name.startsWith('choice-');

/** Texts of the settings, and as their `version` a hash of all values. */
function textsOfSettings(options: Options): Record<string, string> {
  const texts = Object.fromEntries(options.map(({ name, value }) => [name, String(value)]));
  return { ...texts, version: hashOf(JSON.stringify(texts)) };
}

/** @throws CatalogError CONFLICT if another user has changed one of the settings since the form was opened */
function refuseStale(form: Texts, stored: Texts, fields: FormFields, names: readonly string[]): void {
  if (form.version === undefined || form.version === stored.version) return;
  const known = `.${form.base ?? ''}.`;
  const isChanged = (name: string) => !known.includes(`.${baseOf({ [name]: fields[name]! }, stored)}.`);
  if (names.some(isChanged)) throw new CatalogError('CONFLICT', 'the settings have changed.', [], 0);
}

async function settingsOf(v: Visit): Promise<Options> {
  const { siteOptions } = await v.run(PageSiteOptionsDocument, {}, v.call);
  return siteOptions.filter(({ name }) => name !== 'catalog.site_url'); // cannot change at run time
}

const SETTINGS: EditForm<Options> = {
  path: '/ckan-admin/config',
  what: 'settings',
  fields: (options, texts): FormFields =>
    Object.fromEntries(
      Object.keys(texts)
        .filter(isSetting)
        .map((name) => {
          const hint = options.find((option) => option.name === name)?.description.replaceAll('`', '');
          return [name, { label: name, ...(hint && { hint }), ...(LONG.test(name) && { kind: 'area' as const }) }];
        }),
    ),
  blank: [],
  render: ({ context: _options, ...props }) => {
    const { t, rich } = props.frame.texts;
    const link = (text: ComponentChildren) => <a href="/ckan-admin/reset_config">{text}</a>;
    return (
      <ObjectFormPage {...props} title={t('admin.settings')} back="/ckan-admin">
        <Tabs tabs={ADMIN_TABS} current="/ckan-admin/config" />
        <p>{rich('admin.settingsText', { link })}</p>
      </ObjectFormPage>
    );
  },
  async read(v) {
    const options = await settingsOf(v);
    return { texts: textsOfSettings(options), context: options };
  },
  async save(v, names, fields) {
    refuseStale(v.form, textsOfSettings(await settingsOf(v)), fields, names);
    const options = names.map((name) => ({ name, value: plain(v.form[name] ?? '') }));
    if (options.length > 0) await v.run(PageUpdateSiteOptionsDocument, { input: { options } }, v.call);
    return '/ckan-admin/config';
  },
};

async function showReset(v: Visit): Promise<void> {
  const { t } = v.frame.texts;
  const labels = { title: t('admin.settings'), text: t('admin.resetText'), verb: t('admin.reset') };
  const props = { frame: v.frame, what: 'settings', question: t('admin.resetTitle'), ...labels };
  v.page(<DeletePage {...props} action="/ckan-admin/reset_config" back="/ckan-admin/config" />);
}

async function reset(v: Visit): Promise<void> {
  const { siteOptions } = await v.run(PageSiteOptionsDocument, {}, v.call);
  const options = siteOptions.map(({ name }) => ({ name, value: null }));
  await v.run(PageUpdateSiteOptionsDocument, { input: { options } }, v.call);
  v.goTo('/ckan-admin/config');
}

const KINDS = ['dataset', 'organization', 'group'] as const;
type Kind = (typeof KINDS)[number];

async function showTrash(v: Visit, first: number): Promise<void> {
  const after = (list: string) => firstOf(v.req.query[list]) || null;
  const cursors = { datasets: after('datasets'), organizations: after('organizations'), groups: after('groups') };
  const data = await v.run(PageTrashDocument, { first, ...cursors }, v.call);
  v.page(
    <Layout frame={v.frame} title={v.frame.texts.t('admin.trash')}>
      <h1>{v.frame.texts.t('admin.trash')}</h1>
      <Tabs tabs={ADMIN_TABS} current="/ckan-admin/trash" />
      {KINDS.map((kind) => (
        <TrashList key={kind} frame={v.frame} kind={kind} list={data[`${kind}s`]!} />
      ))}
    </Layout>,
  );
}

interface TrashListProps {
  readonly frame: Frame;
  readonly kind: Kind;
  readonly list: NonNullable<PageTrashQuery['datasets']>;
}

function TrashList({ frame, kind, list }: TrashListProps) {
  const { t, dataLang } = useTexts();
  const { hasNextPage, endCursor } = list.pageInfo;
  return (
    <>
      <h2>{t('admin.deletedOnes', { kind })}</h2>
      <p class="count">{t(`count.${kind}`, { count: list.totalCount })}</p>
      <ul class="plain">
        {list.nodes.map(({ databaseId, name, title }) => (
          <li key={databaseId} class="row">
            <a href={`/${kind}/${encodeURIComponent(name)}`} lang={dataLang}>
              {title || name}
            </a>
            <Form action={`/${kind}/restore/${encodeURIComponent(databaseId)}`} token={frame.token}>
              <button type="submit" class="link" aria-label={t('admin.restoreNamed', { title: title || name })}>
                {t('edit.restore')}
              </button>
            </Form>
            <Form action={`/ckan-admin/trash/${kind}/${encodeURIComponent(databaseId)}`} token={frame.token}>
              <input type="hidden" name="title" value={title || name} />
              <button type="submit" class="link" aria-label={t('admin.purgeNamed', { title: title || name })}>
                {t('admin.purge')}
              </button>
            </Form>
          </li>
        ))}
      </ul>
      <NextPage href={hasNextPage ? hrefOf('/ckan-admin/trash', [[`${kind}s`, endCursor!]]) : null} />
    </>
  );
}

async function purge(v: Visit): Promise<void> {
  const { kind, id } = v.req.params;
  const { run, call, form, frame } = v;
  if (!(KINDS as readonly string[]).includes(kind!)) throw notFound('no such page.');
  if (form.confirmed !== 'true') {
    const action = `/ckan-admin/trash/${encodeURIComponent(kind!)}/${encodeURIComponent(id!)}`;
    const { t } = frame.texts;
    const labels = { question: t('admin.purgeTitle'), text: t('admin.purgeText'), verb: t('admin.purge') };
    const props = { frame, what: kind!, title: form.title || id!, ...labels, action, back: '/ckan-admin/trash' };
    return v.page(<DeletePage {...props} texts={{ confirmed: 'true' }} />);
  }
  if (kind === 'dataset') await run(PagePurgeDatasetDocument, { input: { dataset: id! } }, call);
  if (kind === 'organization') await run(PagePurgeOrganizationDocument, { input: { organization: id! } }, call);
  if (kind === 'group') await run(PagePurgeGroupDocument, { input: { group: id! } }, call);
  v.goTo('/ckan-admin/trash');
}
