/** Members and details of an organization or group. */
import type { GroupAboutFragment, GroupMembersFragment } from '../../../src/generated/operations.ts';
import { Day, excerpt, META_LENGTH } from './cards.tsx';
import { Fact } from './facts.tsx';
import { withChosen } from './fields.tsx';
import { Choice, type Faults, Field, Form, Notice } from './form.tsx';
import { HtmlText } from './html-text.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type KeysetPage, NextPage } from './pagination.tsx';
import { Picture } from './picture.tsx';
import { Tabs, tabsOfGroup } from './tabs.tsx';
import type { Texts } from './texts.ts';
import { useTexts } from './use-texts.ts';

interface PartProps<Group> {
  readonly frame: Frame;
  readonly kind: 'organization' | 'group';
  readonly group: Group;
  /** Path without parameters. */
  readonly path: string;
}

interface MembersProps extends PartProps<GroupMembersFragment> {
  readonly page: KeysetPage;
  readonly faults: Faults;
  /** Texts of the form. */
  readonly texts: Readonly<Record<string, string>>;
}

export function MembersPage({ frame, kind, group, path, page, faults, texts }: MembersProps) {
  const { t, number } = useTexts();
  const { displayName, name, viewerCanUpdate, membershipConnection: members } = group;
  const title = t('group.membersOf', { group: displayName });
  const description = t('group.membersDescription', { group: displayName, site: frame.siteTitle });
  return (
    <Layout frame={frame} title={title} meta={{ path: page.href, description }}>
      <h1>{title}</h1>
      <Tabs tabs={tabsOfGroup(kind, name)} current={path} />
      <Notice text={faults.form} bad />
      <p class="count">{t('count.member', { count: members.totalCount })}</p>
      {members.nodes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('common.name')}</th>
              <th scope="col">{t('group.role')}</th>
              <th scope="col">{t('common.datasets')}</th>
            </tr>
          </thead>
          <tbody>
            {members.nodes.map(({ user, capacity, datasetCount }) => (
              <tr key={user.name}>
                <th scope="row">
                  <a href={`/user/${encodeURIComponent(user.name)}`}>{user.displayName}</a>
                </th>
                <td>
                  {viewerCanUpdate ? (
                    <MemberForm {...{ frame, kind, path, capacity }} user={user} />
                  ) : (
                    roleOf(t, capacity)
                  )}
                </td>
                <td>{number(datasetCount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <NextPage href={page.next} />
      {viewerCanUpdate && (
        <>
          <h2>{t('manage.addMember')}</h2>
          <Form action={path} token={frame.token} stacked>
            <Field
              name="user"
              label={t('manage.user')}
              value={Object.keys(faults).length > 0 ? texts.user : ''}
              faults={faults}
              hint={t('manage.userHint')}
              required
            />
            <Choice
              name="capacity"
              label={t('group.role')}
              faults={faults}
              options={rolesOf(t, kind)}
              value={texts.capacity ?? 'member'}
            />
            <button type="submit">{t('manage.add')}</button>
          </Form>
          <p class="hint">{t('manage.roles', { kind })}</p>
        </>
      )}
    </Layout>
  );
}

const ROLES = { admin: 'group.roleAdmin', editor: 'group.roleEditor', member: 'group.roleMember' } as const;

/** The role of a capacity. Capacities of API clients can be any text. */
export const roleOf = (t: Texts['t'], capacity: string): string =>
  Object.hasOwn(ROLES, capacity) ? t(ROLES[capacity as keyof typeof ROLES]) : capacity;

/** Roles to choose from. Groups grant no editing of datasets, so they have no editors. */
const rolesOf = (t: Texts['t'], kind: PartProps<unknown>['kind']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(ROLES)
      .filter(([role]) => kind === 'organization' || role !== 'editor')
      .map(([role, label]) => [role, t(label)]),
  );

interface MemberFormProps extends Pick<PartProps<unknown>, 'frame' | 'kind' | 'path'> {
  readonly user: { readonly name: string; readonly displayName: string };
  readonly capacity: string;
}

/** Changes the role of a member, or removes the member. */
function MemberForm({ frame, kind, path, user, capacity }: MemberFormProps) {
  const { t } = useTexts();
  const { name, displayName } = user;
  return (
    <Form action={path} token={frame.token}>
      <input type="hidden" name="user" value={name} />
      <span class="row">
        <select name="capacity" aria-label={t('manage.roleOf', { user: displayName })}>
          {Object.entries(withChosen(rolesOf(t, kind), capacity)).map(([role, label]) => (
            <option key={role} value={role} selected={role === capacity}>
              {label}
            </option>
          ))}
        </select>
        <button type="submit" class="quiet" aria-label={t('manage.saveRoleOf', { user: displayName })}>
          {t('edit.save')}
        </button>
        <button
          type="submit"
          name="verb"
          value="remove"
          class="link"
          aria-label={t('manage.removeNamed', { name: displayName })}
        >
          {t('manage.remove')}
        </button>
      </span>
    </Form>
  );
}

export function GroupAboutPage({ frame, kind, group, path }: PartProps<GroupAboutFragment>) {
  const { t, number, dataLang } = useTexts();
  const { displayName, name, description, descriptionHtml, imageDisplayUrl, parents, extras } = group;
  const title = t('group.aboutOf', { group: displayName });
  return (
    <Layout frame={frame} title={title} meta={{ path, description: excerpt(description, META_LENGTH) || title }}>
      <h1>{title}</h1>
      <Tabs tabs={tabsOfGroup(kind, name)} current={path} />
      {imageDisplayUrl && <Picture frame={frame} url={imageDisplayUrl} name={displayName} />}
      <HtmlText frame={frame} html={descriptionHtml} />
      <dl>
        <Fact label={t('common.datasets')}>{number(group.datasetCount)}</Fact>
        <Fact label={t('group.members')}>{number(group.membershipConnection.totalCount)}</Fact>
        {parents.length > 0 && (
          <Fact label={t('group.partOf')}>
            {parents.map(({ group: parent }, index) => (
              <>
                {index > 0 && ', '}
                <a href={`/${parent.isOrganization ? 'organization' : 'group'}/${encodeURIComponent(parent.name)}`}>
                  {parent.displayName}
                </a>
              </>
            ))}
          </Fact>
        )}
        {extras.map(({ key, value }) => (
          <Fact key={key} label={key} lang={dataLang}>
            {value}
          </Fact>
        ))}
        <Fact label={t('group.since')}>
          <Day instant={group.createdAt} />
        </Fact>
        <Fact label={t('common.identifier')}>
          <code>{group.databaseId}</code>
        </Fact>
      </dl>
    </Layout>
  );
}
