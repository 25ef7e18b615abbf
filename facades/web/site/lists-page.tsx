/** Lists of organizations, groups, tags and users. */
import type { ComponentChildren } from 'preact';
import type { GroupCardFragment, PageTagsQuery, PageUsersQuery } from '../../../src/generated/operations.ts';
import { counted, GroupCard } from './cards.tsx';
import { type Frame, Layout } from './layout.tsx';
import { NextPage, Pagination, type KeysetPage as Position } from './pagination.tsx';
import { SearchBox } from './search-box.tsx';

const TITLES = { organization: 'Organizations', group: 'Groups' } as const;
export const DEFAULT_SORT = 'title asc';
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
  <Layout
    frame={frame}
    title={TITLES[kind]}
    meta={{
      path: href({ sort: DEFAULT_SORT }),
      isHidden: q !== '',
      description: `${TITLES[kind]} of ${frame.siteTitle}.`,
    }}
  >
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
    <h2 class="hidden">Results</h2>
    <ul class="cards grid">
      {groups.map((group) => (
        <GroupCard key={group.name} group={group} kind={kind} />
      ))}
    </ul>
    <Pagination page={page} pages={pages} href={(number) => href({ page: number })} />
  </Layout>
);

interface KeysetProps {
  readonly frame: Frame;
  /** Path of the list, without parameters. */
  readonly path: string;
  readonly title: string;
  /** One item of the list, as `counted` takes it. */
  readonly word: string;
  readonly q: string;
  readonly count: number;
  readonly page: Position;
  readonly children: ComponentChildren;
}

/** A list that is read by cursor, with a search. */
const KeysetPage = ({ frame, path, title, word, q, count, page, children }: KeysetProps) => (
  <Layout
    frame={frame}
    title={title}
    meta={{ path: page.href, isHidden: q !== '', description: `${title} of ${frame.siteTitle}.` }}
  >
    <h1>{title}</h1>
    <SearchBox path={path} q={q} label={`Search ${title.toLowerCase()}`} />
    <p class="count" role="status">
      {counted(count, word)}
    </p>
    {children}
    <NextPage href={page.next} />
  </Layout>
);

interface ListProps<Data> {
  readonly frame: Frame;
  readonly q: string;
  readonly list: Data;
  readonly page: Position;
}

export const TagsPage = ({ list, ...rest }: ListProps<PageTagsQuery['tags']>) => (
  <KeysetPage {...rest} path="/tag" title="Tags" word="tag" count={list.totalCount}>
    <ul class="pills">
      {list.nodes.map(({ name, displayName }) => (
        <li key={name}>
          <a href={`/dataset?tags=${encodeURIComponent(name)}`}>{displayName}</a>
        </li>
      ))}
    </ul>
  </KeysetPage>
);

export const UsersPage = ({ list, ...rest }: ListProps<PageUsersQuery['users']>) => (
  <KeysetPage {...rest} path="/user" title="Users" word="user" count={list.totalCount}>
    <ul class="plain">
      {list.nodes.map(({ name, displayName, datasetCount }) => (
        <li key={name}>
          <a href={`/user/${encodeURIComponent(name)}`}>{displayName}</a>{' '}
          <span class="hint">{counted(datasetCount, 'dataset')}</span>
        </li>
      ))}
    </ul>
  </KeysetPage>
);
