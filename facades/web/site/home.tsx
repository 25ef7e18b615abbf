/** Home page: search, figures, ways into the catalog, and the datasets that changed last. */
import type { PageHomeQuery } from '../../../src/generated/operations.ts';
import { counted, DatasetCard } from './cards.tsx';
import { EVERYTHING } from './feed-paths.ts';
import { JsonLd } from './head.tsx';
import { Icon } from './icons.tsx';
import { type Frame, Layout } from './layout.tsx';
import { schemaOrgCatalog } from './schema-org.ts';
import { SearchBox } from './search-box.tsx';
import { labelOf } from './search-page.tsx';

/** Facets of the home page. */
export const HOME_FACETS = ['groups', 'organization', 'res_format', 'tags'] as const;

export function HomePage({ frame, data }: { frame: Frame; data: PageHomeQuery }) {
  const { site, datasetSearch, organizations, groups } = data;
  const { count, matches, facets } = datasetSearch;
  const description = site.description || `${counted(count, 'dataset')} in ${frame.siteTitle}.`;
  return (
    <Layout
      frame={frame}
      title="Home"
      isHome
      meta={{ path: '/', description, feed: EVERYTHING }}
      head={<JsonLd data={schemaOrgCatalog(frame, description)} />}
    >
      <section class="hero">
        <h1>{frame.siteTitle}</h1>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made of Markdown by markdownToHtml, which lets no tags through */}
        {site.introTextHtml && <div class="text" dangerouslySetInnerHTML={{ __html: site.introTextHtml }} />}
        {!site.introTextHtml && site.description && <p>{site.description}</p>}
        <SearchBox path="/dataset" label="Search datasets" />
        <p class="figures">
          <a href="/dataset">
            <Icon name="dataset" /> {counted(count, 'dataset')}
          </a>
          <a href="/organization">
            <Icon name="organization" /> {counted(organizations.totalCount, 'organization')}
          </a>
          <a href="/group">
            <Icon name="group" /> {counted(groups.totalCount, 'group')}
          </a>
        </p>
      </section>
      {count === 0 && <p>This catalog has no public datasets yet.</p>}
      <div class="ways">
        {facets
          .filter(({ items }) => items.length > 0)
          .map(({ field, items }) => (
            <section key={field}>
              <h2>{labelOf(field)}</h2>
              <ul class="pills">
                {items.map((item) => (
                  <li key={item.name}>
                    <a href={`/dataset?${field}=${encodeURIComponent(item.name)}`}>
                      {item.displayName} <span class="number">{item.count.toLocaleString('en')}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
      </div>
      {matches.length > 0 && (
        <section>
          <h2>Recently updated</h2>
          <ul class="cards">
            {matches.map((match) => (
              <DatasetCard key={match.node.name} match={match} />
            ))}
          </ul>
          <p>
            <a class="more" href="/dataset?sort=metadata_modified+desc">
              All datasets
            </a>
          </p>
        </section>
      )}
    </Layout>
  );
}
