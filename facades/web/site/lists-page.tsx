/** Lists of organizations, groups, tags and users. */
import type { GroupCardFragment, PageTagsQuery, PageUsersQuery } from '../../../src/generated/operations.ts';
import { counted, GroupCard } from './cards.tsx';
import { type Frame, Layout } from './layout.tsx';
import { NextPage, Pagination } from './pagination.tsx';
import { SearchBox } from './search-box.tsx';

const TITLES = { organization: 'Organizations', group: 'Groups' } as const;
export const GROUP_SORTS = { 'name asc': 'Name', 'title asc': 'Title', 'package_count desc': 'Number of datasets' };

interface GroupsProps {
  readonly frame: Frame;
  readonly kind: keyof typeof TITLES;
  readonly q: string;
  readonly sort: string;
  readonly page: number;
  readonly pages: number;
  readonly count: number;
  readonly groups: readonly GroupCardFragment[];
  readonly href: (change: { sort?: string; page?: number }) => string;
}

export const GroupsPage = ({ frame, kind, q, sort, page, pages, count, groups, href }: GroupsProps) => (
  <Layout frame={frame} title={TITLES[kind]}>
    <h1>{TITLES[kind]}</h1>
    <SearchBox path={`/${kind}`} q={q} label={`Search ${TITLES[kind].toLowerCase()}`} />
    <p class="count" role="status">
      {q ? `${counted(groups.length, kind)} for “${q}”` : counted(count, kind)}
    </p>
    {!q && (
      <p class="sorts">
        Sort by{' '}
        {Object.entries(GROUP_SORTS).map(([key, label]) =>
          key === sort ? (
            <strong key={key}>{label} </strong>
          ) : (
            <a key={key} href={href({ sort: key, page: 1 })}>
              {label}{' '}
            </a>
          ),
        )}
      </p>
    )}
    {groups.length === 0 && <p>{q ? 'Nothing matches.' : `There are no ${TITLES[kind].toLowerCase()} yet.`}</p>}
    <ul class="cards grid">
      {groups.map((group) => (
        <GroupCard key={group.name} group={group} kind={kind} />
      ))}
    </ul>
    <Pagination page={page} pages={pages} href={(number) => href({ page: number })} />
  </Layout>
);

interface KeysetProps<Data> {
  readonly frame: Frame;
  readonly q: string;
  readonly list: Data;
  /** URL of the next page; null on the last one. */
  readonly next: string | null;
}

export const TagsPage = ({ frame, q, list, next }: KeysetProps<PageTagsQuery['tags']>) => (
  <Layout frame={frame} title="Tags">
    <h1>Tags</h1>
    <SearchBox path="/tag" q={q} label="Search tags" />
    <p class="count" role="status">
      {counted(list.totalCount, 'tag')}
    </p>
    <ul class="pills">
      {list.nodes.map(({ name, displayName }) => (
        <li key={name}>
          <a href={`/dataset?tags=${encodeURIComponent(name)}`}>{displayName}</a>
        </li>
      ))}
    </ul>
    <NextPage href={next} />
  </Layout>
);

export const UsersPage = ({ frame, q, list, next }: KeysetProps<PageUsersQuery['users']>) => (
  <Layout frame={frame} title="Users">
    <h1>Users</h1>
    <SearchBox path="/user" q={q} label="Search users" />
    <p class="count" role="status">
      {counted(list.totalCount, 'user')}
    </p>
    <ul class="plain">
      {list.nodes.map(({ name, displayName, datasetCount }) => (
        <li key={name}>
          <a href={`/user/${encodeURIComponent(name)}`}>{displayName}</a>{' '}
          <span class="hint">{counted(datasetCount, 'dataset')}</span>
        </li>
      ))}
    </ul>
    <NextPage href={next} />
  </Layout>
);
