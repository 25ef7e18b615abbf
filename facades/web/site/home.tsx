/** Home page: search, figures, themes, datasets that are new or changed last, and further ways into the catalog. */
import type { PageHomeQuery } from '../../../src/generated/operations.ts';
import { DatasetCard, Day } from './cards.tsx';
import { EVERYTHING } from './feed-paths.ts';
import { FirstSteps } from './first-steps.tsx';
import { JsonLd } from './head.tsx';
import { HtmlText } from './html-text.tsx';
import { Icon } from './icons.tsx';
import { type Frame, Layout } from './layout.tsx';
import { OwnText } from './own-text.tsx';
import { Picture } from './picture.tsx';
import { Region } from './region.tsx';
import { schemaOrgCatalog } from './schema-org.ts';
import { SearchBox } from './search-box.tsx';
import { labelOf } from './search-page.tsx';
import { useTexts } from './use-texts.ts';

/** Facets of the home page. */
export const HOME_FACETS = ['groups', 'organization', 'res_format', 'tags'] as const;
/** Groups that are shown as themes. */
const MAX_THEMES = 8;

interface HomeProps {
  readonly frame: Frame;
  readonly data: PageHomeQuery;
}

/** Order of the parts, by the number of the layout (catalog.homepage_style). Other numbers are as 1. */
const LAYOUTS = {
  1: [Themes, Datasets, Ways],
  2: [Datasets, Themes, Ways],
  3: [Ways, Datasets],
} as const;

export function HomePage({ frame, data }: HomeProps) {
  const { t } = useTexts();
  const { site, organizations, groups } = data;
  const { count } = data.datasetSearch;
  const style = Object.hasOwn(LAYOUTS, site.homepageStyle) ? (site.homepageStyle as keyof typeof LAYOUTS) : 1;
  const description = site.description || t('home.description', { count, site: frame.siteTitle });
  const props = { frame, data };
  const parts = {
    intro: () => <Intro {...props} />,
    search: () => <SearchBox path="/dataset" label={t('search.placeholder')} />,
    figures: () => <Figures {...props} />,
    text: () => <OwnText frame={frame} slot="home" />,
    start: () => <Start {...props} />,
    themes: () => <Themes {...props} />,
    datasets: () => <Datasets {...props} />,
    ways: () => <Ways {...props} />,
  };
  const values = () => ({
    figures: { datasets: count, organizations: organizations.totalCount, groups: groups.totalCount },
  });
  const fallback = () => (
    <>
      <section class="hero">
        <h1>{frame.siteTitle}</h1>
        {parts.intro()}
        {parts.search()}
        {parts.figures()}
      </section>
      {parts.text()}
      {parts.start()}
      {LAYOUTS[style].map((Part) => (
        <Part key={Part.name} {...props} />
      ))}
    </>
  );
  return (
    <Layout
      frame={frame}
      title={t('home.title')}
      isHome
      meta={{ path: '/', description, feed: { path: EVERYTHING, title: t('feed.everything') } }}
      head={<JsonLd data={schemaOrgCatalog(frame, description)} />}
    >
      <Region {...{ frame, name: 'home', parts, values, fallback }} />
    </Layout>
  );
}

/** The site's own introduction, or else its description. */
function Intro({ frame, data: { site } }: HomeProps) {
  const { dataLang } = useTexts();
  if (site.introTextHtml) return <HtmlText frame={frame} html={site.introTextHtml} />;
  return site.description ? <p lang={dataLang}>{site.description}</p> : null;
}

function Figures({ data: { datasetSearch, organizations, groups } }: HomeProps) {
  const { t } = useTexts();
  return (
    <p class="figures">
      <a href="/dataset">
        <Icon name="dataset" /> {t('count.dataset', { count: datasetSearch.count })}
      </a>
      <a href="/organization">
        <Icon name="organization" /> {t('count.organization', { count: organizations.totalCount })}
      </a>
      <a href="/group">
        <Icon name="group" /> {t('count.group', { count: groups.totalCount })}
      </a>
    </p>
  );
}

/** Help for an empty catalog. */
function Start({ data: { viewer, datasetSearch } }: HomeProps) {
  const { t } = useTexts();
  if (datasetSearch.count > 0) return null;
  return viewer?.sysadmin ? <FirstSteps /> : <p>{t('home.empty')}</p>;
}

/** The groups with the most datasets. */
function Themes({ frame, data: { datasetSearch } }: HomeProps) {
  const { t, langOf } = useTexts();
  const themes = datasetSearch.facets.find(({ field }) => field === 'groups')?.items.slice(0, MAX_THEMES) ?? [];
  if (themes.length === 0) return null;
  return (
    <section>
      <h2>{t('home.themes')}</h2>
      <ul class="themes">
        {themes.map(({ name, displayName, localName, count }) => (
          <li key={name}>
            <a href={`/group/${encodeURIComponent(name)}`}>
              <Picture frame={frame} url="" name={localName} isSmall />
              <span>
                <strong lang={langOf(displayName, localName)}>{localName}</strong>
                <span class="hint">{t('count.dataset', { count })}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Datasets({ data: { site, datasetSearch, newest } }: HomeProps) {
  const { t, langOf } = useTexts();
  if (datasetSearch.matches.length === 0) return null;
  return (
    <div class="news">
      <section>
        <h2>{t('home.recent')}</h2>
        <ul class="cards">
          {datasetSearch.matches.map((match) => (
            <DatasetCard key={match.node.name} match={match} />
          ))}
        </ul>
        <p>
          <a class="more" href="/dataset?sort=metadata_modified+desc">
            {t('home.all')}
          </a>
        </p>
      </section>
      <section>
        <h2>{t('home.newest')}</h2>
        <ol class="newest">
          {newest.results.map(({ name, title, localTitle, createdAt }) => (
            <li key={name}>
              <a href={`/dataset/${encodeURIComponent(name)}`} lang={langOf(title, localTitle)}>
                {localTitle}
              </a>{' '}
              <span class="hint">
                <Day instant={createdAt} />
              </span>
            </li>
          ))}
        </ol>
        {site.usageTop.length > 0 && (
          <>
            <h2>{t('home.mostUsed')}</h2>
            <ol class="newest">
              {site.usageTop.map(({ dataset: { name, title, localTitle }, figures }) => (
                <li key={name}>
                  <a href={`/dataset/${encodeURIComponent(name)}`} lang={langOf(title, localTitle)}>
                    {localTitle}
                  </a>{' '}
                  <span class="hint">{t('home.views', { count: figures.recent })}</span>
                </li>
              ))}
            </ol>
          </>
        )}
      </section>
    </div>
  );
}

/** Organizations, formats and tags with the most datasets. */
function Ways({ data: { datasetSearch } }: HomeProps) {
  const { t, number, langOf } = useTexts();
  return (
    <div class="ways">
      {datasetSearch.facets
        .filter(({ field, items }) => items.length > 0 && field !== 'groups')
        .map(({ field, items }) => (
          <section key={field}>
            <h2>{labelOf(t, field)}</h2>
            <ul class="pills">
              {items.map((item) => (
                <li key={item.name}>
                  <a href={`/dataset?${field}=${encodeURIComponent(item.name)}`}>
                    <span lang={langOf(item.displayName, item.localName)}>{item.localName}</span>{' '}
                    <span class="number">{number(item.count)}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </div>
  );
}
