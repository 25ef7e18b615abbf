/** Lists of organizations, groups, tags and users. */
import type { ComponentChildren } from 'preact';
import type { GroupCardFragment, PageTagsQuery, PageUsersQuery } from '../../../src/generated/operations.ts';
import { GroupCard, TagItem } from './cards.tsx';
import { type Frame, Layout } from './layout.tsx';
import { NextPage, Pagination, type KeysetPage as Position } from './pagination.tsx';
import { SearchBox } from './search-box.tsx';
import { useTexts } from './use-texts.ts';

const TITLES = { organization: 'common.organizations', group: 'common.groups' } as const;
export const DEFAULT_SORT = 'title asc';
const GROUP_SORTS = {
  'name asc': 'lists.sortName',
  'title asc': 'lists.sortTitle',
  'package_count desc': 'lists.sortCount',
} as const;

interface GroupsProps {
  readonly frame: Frame;
  readonly kind: keyof typeof TITLES;
  readonly q: string;
  readonly sort: string;
  readonly page: number;
  readonly pages: number;
  readonly count: number;
  readonly groups: readonly GroupCardFragment[];
  readonly mayCreate: boolean;
  readonly href: (change: { sort?: string; page?: number }) => string;
}

export function GroupsPage({ frame, kind, q, sort, page, pages, count, groups, mayCreate, href }: GroupsProps) {
  const { t } = useTexts();
  const title = t(TITLES[kind]);
  const counted = t(`count.${kind}`, { count: q ? groups.length : count });
  const description = t('lists.description', { title, site: frame.siteTitle });
  return (
    <Layout frame={frame} title={title} meta={{ path: href({ sort: DEFAULT_SORT }), isHidden: q !== '', description }}>
      <h1>{title}</h1>
      <SearchBox path={`/${kind}`} q={q} label={t('lists.search', { kind })} />
      {mayCreate && (
        <p class="actions">
          <a class="button" href={`/${kind}/new`}>
            {t('manage.new', { kind })}
          </a>
        </p>
      )}
      <p class="count" role="status">
        {q ? t('lists.found', { counted, q }) : counted}
      </p>
      {!q && (
        <p class="sorts">
          {t('lists.sortBy')}{' '}
          {Object.entries(GROUP_SORTS).map(([key, label]) =>
            key === sort ? (
              <strong key={key}>{t(label)} </strong>
            ) : (
              <a key={key} href={href({ sort: key, page: 1 })}>
                {t(label)}{' '}
              </a>
            ),
          )}
        </p>
      )}
      {groups.length === 0 && <p>{q ? t('common.nothing') : t('lists.empty', { kind })}</p>}
      <h2 class="hidden">{t('common.results')}</h2>
      <ul class="cards">
        {groups.map((group) => (
          <GroupCard key={group.name} frame={frame} group={group} kind={kind} />
        ))}
      </ul>
      <Pagination page={page} pages={pages} href={(number) => href({ page: number })} />
    </Layout>
  );
}

interface KeysetProps {
  readonly frame: Frame;
  /** Path of the list, without parameters. */
  readonly path: string;
  readonly kind: 'tag' | 'user';
  readonly q: string;
  readonly count: number;
  readonly page: Position;
  readonly children: ComponentChildren;
}

/** A list that is read by cursor, with a search. */
function KeysetPage({ frame, path, kind, q, count, page, children }: KeysetProps) {
  const { t } = useTexts();
  const title = t(`common.${kind}s`);
  const description = t('lists.description', { title, site: frame.siteTitle });
  return (
    <Layout frame={frame} title={title} meta={{ path: page.href, isHidden: q !== '', description }}>
      <h1>{title}</h1>
      <SearchBox path={path} q={q} label={t('lists.search', { kind })} />
      <p class="count" role="status">
        {t(`count.${kind}`, { count })}
      </p>
      {children}
      <NextPage href={page.next} />
    </Layout>
  );
}

interface ListProps<Data> {
  readonly frame: Frame;
  readonly q: string;
  readonly list: Data;
  readonly page: Position;
}

export const TagsPage = ({ list, ...rest }: ListProps<PageTagsQuery['tags']>) => (
  <KeysetPage {...rest} path="/tag" kind="tag" count={list.totalCount}>
    <ul class="pills">
      {list.nodes.map((tag) => (
        <TagItem key={tag.name} tag={tag} />
      ))}
    </ul>
  </KeysetPage>
);

export const UsersPage = ({ list, ...rest }: ListProps<PageUsersQuery['users']>) => (
  <KeysetPage {...rest} path="/user" kind="user" count={list.totalCount}>
    <ul class="plain">
      {list.nodes.map(({ name, displayName, datasetCount }) => (
        <li key={name}>
          <a href={`/user/${encodeURIComponent(name)}`}>{displayName}</a>{' '}
          <span class="hint">
            <Count datasets={datasetCount} />
          </span>
        </li>
      ))}
    </ul>
  </KeysetPage>
);

const Count = ({ datasets }: { datasets: number }) => <>{useTexts().t('count.dataset', { count: datasets })}</>;
