/** Members and details of an organization or group. */
import type { GroupAboutFragment, GroupMembersFragment } from '../../../src/generated/operations.ts';
import { counted, Day, excerpt, META_LENGTH } from './cards.tsx';
import { Fact } from './facts.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type KeysetPage, NextPage } from './pagination.tsx';
import { Tabs, tabsOfGroup } from './tabs.tsx';

interface PartProps<Group> {
  readonly frame: Frame;
  readonly kind: 'organization' | 'group';
  readonly group: Group;
  /** Path without parameters. */
  readonly path: string;
}

interface MembersProps extends PartProps<GroupMembersFragment> {
  readonly page: KeysetPage;
}

export function MembersPage({ frame, kind, group, path, page }: MembersProps) {
  const { displayName, name, membershipConnection: members } = group;
  const title = `Members of ${displayName}`;
  return (
    <Layout frame={frame} title={title} meta={{ path: page.href, description: `${title} in ${frame.siteTitle}.` }}>
      <h1>{title}</h1>
      <Tabs tabs={tabsOfGroup(kind, name)} current={path} />
      <p class="count">{counted(members.totalCount, 'member')}</p>
      {members.nodes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Datasets</th>
            </tr>
          </thead>
          <tbody>
            {members.nodes.map(({ user, capacity, datasetCount }) => (
              <tr key={user.name}>
                <th scope="row">
                  <a href={`/user/${encodeURIComponent(user.name)}`}>{user.displayName}</a>
                </th>
                <td>{ROLES[capacity] ?? capacity}</td>
                <td>{datasetCount.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <NextPage href={page.next} />
    </Layout>
  );
}

const ROLES: Readonly<Record<string, string>> = { admin: 'Admin', editor: 'Editor', member: 'Member' };

export function GroupAboutPage({ frame, kind, group, path }: PartProps<GroupAboutFragment>) {
  const { displayName, name, description, descriptionHtml, imageDisplayUrl, parents, extras } = group;
  const title = `About ${displayName}`;
  return (
    <Layout frame={frame} title={title} meta={{ path, description: excerpt(description, META_LENGTH) || title }}>
      <h1>{title}</h1>
      <Tabs tabs={tabsOfGroup(kind, name)} current={path} />
      {/^https?:/.test(imageDisplayUrl) && <img class="logo" src={imageDisplayUrl} alt="" />}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made of Markdown by markdownToHtml, which lets no tags through */}
      {descriptionHtml && <div class="text" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />}
      <dl>
        <Fact label="Datasets">{group.datasetCount.toLocaleString('en')}</Fact>
        <Fact label="Members">{group.membershipConnection.totalCount.toLocaleString('en')}</Fact>
        {parents.length > 0 && (
          <Fact label="Part of">
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
          <Fact key={key} label={key}>
            {value}
          </Fact>
        ))}
        <Fact label="Here since">
          <Day instant={group.createdAt} />
        </Fact>
        <Fact label="Identifier">
          <code>{group.databaseId}</code>
        </Fact>
      </dl>
    </Layout>
  );
}
