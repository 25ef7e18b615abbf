/** User page. Viewers with access to the account also see the API key and its actions. */
import type { OwnDatasetFragment, PageProfileQuery } from '../../../src/generated/operations.ts';
import { Day, excerpt, META_LENGTH, State } from './cards.tsx';
import { Follow } from './follow.tsx';
import { type Faults, Field, Form, NewPassword, Notice } from './form.tsx';
import { roleOf } from './group-parts.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type KeysetPage, NextPage } from './pagination.tsx';
import { Picture } from './picture.tsx';
import { Tabs, tabsOfUser } from './tabs.tsx';
import { Tokens } from './tokens.tsx';
import { useTexts } from './use-texts.ts';

export type Profile = NonNullable<PageProfileQuery['user']>;

interface ProfileProps {
  readonly frame: Frame;
  readonly user: Profile;
  /** Position in the user's datasets. */
  readonly page: KeysetPage;
  /** A newly created token, shown once. */
  readonly secret?: string | undefined;
  readonly faults?: Faults;
  /** Values entered before. */
  readonly values?: Readonly<Record<string, string>>;
  readonly notice?: string | undefined;
}

export function ProfilePage({ frame, user, page, faults = {}, values = {}, notice, secret }: ProfileProps) {
  const { t, number, dataLang } = useTexts();
  return (
    <Layout
      frame={frame}
      title={user.displayName}
      meta={{
        path: page.href,
        description:
          excerpt(user.about ?? '', META_LENGTH) ||
          t('user.description', { user: user.displayName, site: frame.siteTitle }),
      }}
    >
      <div class="title">
        {user.imageDisplayUrl && <Picture frame={frame} url={user.imageDisplayUrl} name={user.displayName} />}
        <h1>{user.displayName}</h1>
      </div>
      <Tabs tabs={tabsOfUser(user.name)} current={`/user/${encodeURIComponent(user.name)}`} />
      <Follow
        {...{ frame, kind: 'user', name: user.name, followerCount: user.followerCount }}
        isFollowing={user.viewerIsFollowing}
      />
      {user.viewerSeesAccount && (
        <p class="actions">
          <a class="button" href={`/user/edit/${encodeURIComponent(user.name)}`}>
            {t('manage.editProfile')}
          </a>
        </p>
      )}
      <Notice text={notice} />
      <Notice text={faults.form} bad />
      {user.about && <p lang={dataLang}>{user.about}</p>}
      <dl>
        <dt>{t('common.name')}</dt>
        <dd>{user.name}</dd>
        <dt>{t('user.since')}</dt>
        <dd>
          <Day instant={user.createdAt} />
        </dd>
        <dt>{t('common.datasets')}</dt>
        <dd>{number(user.datasetCount)}</dd>
        <dt>{t('user.edits')}</dt>
        <dd>{number(user.numberOfEdits)}</dd>
        {user.viewerSeesAccount && user.email && (
          <>
            <dt>{t('common.email')}</dt>
            <dd>{user.email}</dd>
          </>
        )}
      </dl>
      <Datasets user={user} page={page} />
      <Memberships user={user} />
      {user.viewerSeesAccount && <Account frame={frame} user={user} faults={faults} />}
      {user.tokens && <Tokens {...{ frame, user, tokens: user.tokens, faults, values, secret }} />}
    </Layout>
  );
}

/** Datasets with their state. */
export function DatasetList({ datasets }: { datasets: readonly OwnDatasetFragment[] }) {
  const { t, rich, dataLang } = useTexts();
  return (
    <ul class="plain">
      {datasets.map(({ name, title, modifiedAt, state, ...dataset }) => (
        <li key={name}>
          <a href={`/dataset/${encodeURIComponent(name)}`} lang={dataLang}>
            {title}
          </a>{' '}
          {dataset.private && <span class="badge">{t('state.private')}</span>}
          {state !== 'active' && <State state={state} />}{' '}
          <span class="hint">{rich('common.updated', { day: <Day instant={modifiedAt} /> })}</span>
        </li>
      ))}
    </ul>
  );
}

function Datasets({ user: { datasets }, page }: { user: Profile; page: KeysetPage }) {
  const { t } = useTexts();
  if (datasets.nodes.length === 0) return null;
  return (
    <>
      <h2 id="datasets">{t('common.datasets')}</h2>
      <DatasetList datasets={datasets.nodes} />
      <NextPage href={page.next} label={t('user.moreDatasets')} />
    </>
  );
}

function Memberships({ user: { memberships } }: { user: Profile }) {
  const { t, dataLang } = useTexts();
  if (memberships.nodes.length === 0) return null;
  return (
    <>
      <h2 id="memberships">{t('user.memberships')}</h2>
      <ul class="plain">
        {memberships.nodes.map(({ capacity, group: { name, displayName, isOrganization } }) => (
          <li key={name}>
            <a href={`/${isOrganization ? 'organization' : 'group'}/${encodeURIComponent(name)}`} lang={dataLang}>
              {displayName}
            </a>{' '}
            <span class="hint">{roleOf(t, capacity)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Account({ frame, user, faults }: { frame: Frame; user: Profile; faults: Faults }) {
  const { t, rich } = useTexts();
  const at = `/user/${encodeURIComponent(user.name)}`;
  const own = frame.viewer?.name === user.name;
  return (
    <>
      <h2 id="key">{t('user.apiKey')}</h2>
      <p>{rich('user.apiKeyUse', { header: <code>Authorization</code>, own: own ? 'yes' : 'no' })}</p>
      <code class="key">{user.apiKey ?? t('user.noKey')}</code>
      <Form action={`${at}/apikey`} token={frame.token} stacked>
        <p class="hint">{t('user.newKeyHint')}</p>
        <button type="submit" class="quiet">
          {t('user.newKey')}
        </button>
      </Form>
      {own && (
        <>
          <h2 id="password">{t('common.password')}</h2>
          <Form action={`${at}/password`} token={frame.token} stacked>
            <Field
              name="currentPassword"
              label={t('user.currentPassword')}
              type="password"
              faults={faults}
              autocomplete="current-password"
              required
            />
            <NewPassword name="newPassword" label={t('user.newPassword')} faults={faults} />
            <button type="submit">{t('user.changePassword')}</button>
          </Form>
          <h2>{t('user.sessions')}</h2>
          <Form action="/user/logout" token={frame.token}>
            <input type="hidden" name="everywhere" value="true" />
            <button type="submit" class="quiet">
              {t('user.logOutEverywhere')}
            </button>
          </Form>
        </>
      )}
    </>
  );
}
