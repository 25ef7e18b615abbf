/** Pages with works made from the data: those of a dataset, and those of the catalog. */
import type { RelatedOfListFragment, RelatedPageFragment } from '../../../src/generated/operations.ts';
import { Day } from './cards.tsx';
import { Address } from './facts.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type KeysetPage, NextPage } from './pagination.tsx';
import { Picture } from './picture.tsx';
import { hrefOf } from './search-query.ts';
import { Tabs, tabsOfDataset } from './tabs.tsx';
import type { Texts as Messages } from './texts.ts';
import { useTexts } from './use-texts.ts';

/** The usual types, as in CKAN. API clients can give others. */
const TYPES = ['api', 'application', 'idea', 'news_article', 'paper', 'post', 'visualization'] as const;

/** Types with their titles. */
export const typesOfRelated = (t: Messages['t']): Record<string, string> =>
  Object.fromEntries(TYPES.map((type) => [type, t('related.type', { type })]));

/** Path of a page about the items of a dataset. */
export const relatedPath = (dataset: string, ...parts: string[]): string =>
  `/dataset/${[dataset, 'related', ...parts].map(encodeURIComponent).join('/')}`;

interface RelatedProps {
  readonly frame: Frame;
  readonly items: RelatedPageFragment;
  readonly page: KeysetPage;
}

export function DatasetRelatedPage({
  frame,
  dataset,
  items,
  page,
}: RelatedProps & { dataset: { name: string; title: string } }) {
  const { t } = useTexts();
  const path = relatedPath(dataset.name);
  const heading = t('related.of', { title: dataset.title });
  return (
    <Layout frame={frame} title={heading} meta={{ path: page.href, description: heading }}>
      <h1>{heading}</h1>
      <Tabs tabs={tabsOfDataset(dataset.name)} current={path} />
      {frame.viewer && (
        <div class="actions">
          <a class="button" href={`${path}/new`}>
            {t('related.add')}
          </a>
        </div>
      )}
      <Items frame={frame} items={items} page={page} />
    </Layout>
  );
}

export function RelatedPage({ frame, items, page, type }: RelatedProps & { type: string }) {
  const { t } = useTexts();
  const title = t('related.title');
  const meta = { path: page.href, description: `${title} – ${frame.siteTitle}` };
  return (
    <Layout frame={frame} title={title} meta={meta}>
      <h1>{title}</h1>
      <nav class="tabs" aria-label={t('related.kind')}>
        {Object.entries({ '': t('related.all'), ...typesOfRelated(t) }).map(([one, label]) => (
          <a key={one} href={hrefOf('/related', [['type', one]])} aria-current={one === type ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <Items frame={frame} items={items} page={page} isOfSite />
    </Layout>
  );
}

function Items({ frame, items: { nodes }, page, isOfSite = false }: RelatedProps & { isOfSite?: boolean }) {
  const { t } = useTexts();
  return (
    <>
      {nodes.length === 0 && <p>{t('related.none')}</p>}
      <ul class="cards">
        {nodes.map((item) => (
          <Item key={item.databaseId} {...{ frame, item, isOfSite }} />
        ))}
      </ul>
      <NextPage href={page.next} label={t('related.older')} />
    </>
  );
}

interface ItemProps {
  readonly frame: Frame;
  readonly item: RelatedOfListFragment;
  readonly isOfSite: boolean;
}

function Item({ frame, item, isOfSite }: ItemProps) {
  const { t, dataLang } = useTexts();
  const { databaseId, title, type, description, url, imageUrl, createdAt, owner, dataset } = item;
  return (
    <li class="card">
      {imageUrl && <Picture frame={frame} url={imageUrl} name={title} />}
      <h2 lang={dataLang}>
        <Address url={url ?? ''}>{title}</Address>
      </h2>
      {description && (
        <p class="quiet" lang={dataLang}>
          {description}
        </p>
      )}
      <p class="meta">
        <span class="badge">{t('related.type', { type })}</span>
        <Day instant={createdAt} />
        {owner && <a href={`/user/${encodeURIComponent(owner.name)}`}>{owner.displayName}</a>}
        {isOfSite && dataset && (
          <a href={`/dataset/${encodeURIComponent(dataset.name)}`} lang={dataLang}>
            {dataset.title}
          </a>
        )}
        {dataset && item.viewerCanUpdate && (
          <a href={relatedPath(dataset.name, 'edit', databaseId)} aria-label={t('edit.editNamed', { title })}>
            {t('edit.edit')}
          </a>
        )}
        {dataset && item.viewerCanDelete && (
          <a href={relatedPath(dataset.name, 'delete', databaseId)} aria-label={t('edit.deleteNamed', { title })}>
            {t('edit.delete')}
          </a>
        )}
      </p>
    </li>
  );
}
