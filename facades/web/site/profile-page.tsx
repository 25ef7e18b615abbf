/** User page. Viewers with access to the account also see the API key and its actions. */
import type { PageProfileQuery } from '../../../src/generated/operations.ts';
import { Day, excerpt, META_LENGTH } from './cards.tsx';
import { type Faults, Field, Form, NewPassword, Notice } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type KeysetPage, NextPage } from './pagination.tsx';
import { Tabs, tabsOfUser } from './tabs.tsx';
import { Tokens } from './tokens.tsx';

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
  return (
    <Layout
      frame={frame}
      title={user.displayName}
      meta={{
        path: page.href,
        description: excerpt(user.about ?? '', META_LENGTH) || `${user.displayName} in ${frame.siteTitle}.`,
      }}
    >
      <h1>{user.displayName}</h1>
      <Tabs tabs={tabsOfUser(user.name)} current={`/user/${encodeURIComponent(user.name)}`} />
      <Notice text={notice} />
      <Notice text={faults.form} bad />
      {user.about && <p>{user.about}</p>}
      <dl>
        <dt>Name</dt>
        <dd>{user.name}</dd>
        <dt>Here since</dt>
        <dd>
          <time dateTime={user.createdAt}>{user.createdAt.slice(0, 10)}</time>
        </dd>
        <dt>Datasets</dt>
        <dd>{user.datasetCount}</dd>
        <dt>Edits</dt>
        <dd>{user.numberOfEdits}</dd>
        {user.viewerSeesAccount && user.email && (
          <>
            <dt>E-mail address</dt>
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

function Datasets({ user: { datasets }, page }: { user: Profile; page: KeysetPage }) {
  if (datasets.nodes.length === 0) return null;
  return (
    <>
      <h2 id="datasets">Datasets</h2>
      <ul class="plain">
        {datasets.nodes.map(({ name, title, modifiedAt, state, ...dataset }) => (
          <li key={name}>
            <a href={`/dataset/${encodeURIComponent(name)}`}>{title}</a>{' '}
            {dataset.private && <span class="badge">Private</span>}
            {state !== 'active' && <span class="badge">{state}</span>}{' '}
            <span class="hint">
              Updated <Day instant={modifiedAt} />
            </span>
          </li>
        ))}
      </ul>
      <NextPage href={page.next} label="More datasets" />
    </>
  );
}

function Memberships({ user: { memberships } }: { user: Profile }) {
  if (memberships.nodes.length === 0) return null;
  return (
    <>
      <h2 id="memberships">Organizations and groups</h2>
      <ul class="plain">
        {memberships.nodes.map(({ capacity, group: { name, displayName, isOrganization } }) => (
          <li key={name}>
            <a href={`/${isOrganization ? 'organization' : 'group'}/${encodeURIComponent(name)}`}>{displayName}</a>{' '}
            <span class="hint">{capacity}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Account({ frame, user, faults }: { frame: Frame; user: Profile; faults: Faults }) {
  const at = `/user/${encodeURIComponent(user.name)}`;
  const own = frame.viewer?.name === user.name;
  return (
    <>
      <h2 id="key">API key</h2>
      <p>
        Programs send it in the header <code>Authorization</code>. Whoever has it may do what {own ? 'you' : 'the user'}{' '}
        may do.
      </p>
      <code class="key">{user.apiKey ?? 'none'}</code>
      <Form action={`${at}/apikey`} token={frame.token} stacked>
        <p class="hint">A new key replaces this key. Programs that use the old key are refused from then on.</p>
        <button type="submit" class="quiet">
          Create a new key
        </button>
      </Form>
      {own && (
        <>
          <h2 id="password">Password</h2>
          <Form action={`${at}/password`} token={frame.token} stacked>
            <Field
              name="currentPassword"
              label="Current password"
              type="password"
              faults={faults}
              autocomplete="current-password"
              required
            />
            <NewPassword name="newPassword" label="New password" faults={faults} />
            <button type="submit">Change the password</button>
          </Form>
          <h2>Sessions</h2>
          <Form action="/user/logout" token={frame.token}>
            <input type="hidden" name="everywhere" value="true" />
            <button type="submit" class="quiet">
              Log out on every device
            </button>
          </Form>
        </>
      )}
    </>
  );
}
