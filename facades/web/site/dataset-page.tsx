/** Dataset page: description, files and links, and machine-readable formats. */
import { Calls } from './calls.tsx';
import { Day, excerpt, Format, META_LENGTH, TagItem } from './cards.tsx';
import { citationOf } from './citation.ts';
import { EditLinks } from './edit-links.tsx';
import { Address, Fact } from './facts.tsx';
import { Follow } from './follow.tsx';
import { Alternates, Formats } from './formats.tsx';
import { JsonLd } from './head.tsx';
import { HtmlText } from './html-text.tsx';
import { type Frame, Layout } from './layout.tsx';
import { License } from './license.tsx';
import { NoPage, Pagination } from './pagination.tsx';
import { datasetCalls, isDownload, resourcePath } from './resource-calls.ts';
import { type Dataset, schemaOrg } from './schema-org.ts';
import { hrefOf, pageParam } from './search-query.ts';
import { Tabs, tabsOfDataset } from './tabs.tsx';
import { useTexts } from './use-texts.ts';

interface DatasetProps {
  readonly frame: Frame;
  readonly dataset: Dataset;
  /** Absolute URL. */
  readonly address: string;
  /** Page of the list of resources, from 1. */
  readonly page: number;
}

/** Resources on one page. */
const PER_PAGE = 50;

type Resource = Dataset['resources'][number];

/** Extras whose texts the page shows in the reader's language. */
const TRANSLATIONS = new Set(['title_translated', 'notes_translated']);

export function DatasetPage({ frame, dataset, address, page }: DatasetProps) {
  const { t, dataLang, langOf } = useTexts();
  const { localTitle: title, notes, localNotes, notesHtml, tags, resources, state } = dataset;
  const extras = dataset.extras.filter(({ key }) => !TRANSLATIONS.has(key));
  const path = `/dataset/${encodeURIComponent(dataset.name)}`;
  const pages = Math.ceil(resources.length / PER_PAGE);
  const isBeyond = page > Math.max(pages, 1);
  const pathOf = (number: number) => hrefOf(path, [['page', pageParam(number)]]);
  const { text, bibtex } = citationOf(dataset, frame.siteTitle, address);
  return (
    <Layout
      frame={frame}
      title={title}
      meta={{ path: pathOf(isBeyond ? 1 : page), description: excerpt(localNotes ?? '', META_LENGTH) || title }}
      head={<Head {...{ frame, dataset, address }} />}
    >
      <h1 lang={langOf(dataset.title, title)}>{title}</h1>
      <Tabs tabs={tabsOfDataset(dataset.name)} current={path} />
      {dataset.private && <p class="notice">{t('state.privateDataset')}</p>}
      {state !== 'active' && <p class="notice bad">{t('state.datasetState', { state })}</p>}
      <Follow
        {...{ frame, kind: 'dataset', name: dataset.name, followerCount: dataset.followerCount }}
        isFollowing={dataset.viewerIsFollowing}
      />
      {dataset.viewerCanUpdate && <EditLinks frame={frame} dataset={dataset} />}
      <div class="find">
        <div class="found">
          <HtmlText frame={frame} html={notesHtml} isTranslated={notes !== localNotes} />
          <h2>{t('dataset.resources')}</h2>
          {resources.length === 0 && <p>{t('dataset.noResources')}</p>}
          {isBeyond && <NoPage first={path} />}
          <ul class="cards list">
            {resources.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((resource) => (
              <ResourceItem key={resource.databaseId} resource={resource} dataset={dataset.name} />
            ))}
          </ul>
          <Pagination page={page} pages={pages} href={pathOf} />
          {tags.length > 0 && (
            <>
              <h2>{t('common.tags')}</h2>
              <ul class="pills">
                {tags.map((tag) => (
                  <TagItem key={tag.name} tag={tag} />
                ))}
              </ul>
            </>
          )}
          {extras.length > 0 && (
            <>
              <h2>{t('dataset.extras')}</h2>
              <dl lang={dataLang}>
                {extras.map(({ key, value }) => (
                  <Fact key={key} label={key}>
                    {value}
                  </Fact>
                ))}
              </dl>
            </>
          )}
        </div>
        <aside>
          <h2>{t('dataset.about')}</h2>
          <Facts dataset={dataset} />
        </aside>
      </div>
      <h2 id="use">{t('resource.use')}</h2>
      <Calls calls={datasetCalls(frame.siteUrl, dataset.name)} />
      <h2>{t('cite.title')}</h2>
      <p class="prose" lang={dataLang}>
        {text}
      </p>
      <Calls calls={[{ language: 'BibTeX', code: bibtex }]} isClosed />
      <h2>{t('common.programs')}</h2>
      <Formats path={path}>
        <li>
          <a href={`${path}/croissant`}>Croissant</a>
        </li>
        <li>
          <a href={`/api/3/action/package_show?id=${encodeURIComponent(dataset.name)}`}>{t('dataset.json')}</a>
        </li>
      </Formats>
    </Layout>
  );
}

function Head({ frame, dataset, address }: Omit<DatasetProps, 'page'>) {
  return (
    <>
      <Alternates address={address} />
      <JsonLd data={schemaOrg(dataset, address, frame)} />
    </>
  );
}

function ResourceItem({ resource, dataset }: { resource: Resource; dataset: string }) {
  const { t, bytes, langOf } = useTexts();
  const { databaseId, url, localName: name, format, description, localDescription, size } = resource;
  return (
    <li id={`resource-${databaseId}`} class="card">
      <h3>
        <a href={resourcePath(dataset, databaseId)} lang={name ? langOf(resource.name, name) : undefined}>
          {name || url || t('dataset.unnamed')}
        </a>
      </h3>
      {localDescription && (
        <p class="quiet" lang={langOf(description, localDescription)}>
          {excerpt(localDescription)}
        </p>
      )}
      <p class="meta">
        {format && <Format format={format} />}
        {size !== null && <span>{bytes(size)}</span>}
        <Address url={url}>{isDownload(url) ? t('dataset.download') : t('dataset.open')}</Address>
      </p>
    </li>
  );
}

function Facts({ dataset }: { dataset: Dataset }) {
  const { t, langOf } = useTexts();
  const { url, label, author, maintainer, licenseTitle, licenseUrl, organization, groups } = dataset;
  return (
    <dl>
      {organization && (
        <Fact label={t('dataset.organization')}>
          <a
            href={`/organization/${encodeURIComponent(organization.name)}`}
            lang={langOf(organization.title, organization.localTitle)}
          >
            {organization.localTitle || organization.name}
          </a>
        </Fact>
      )}
      {groups.length > 0 && (
        <Fact label={t('common.groups')}>
          <span id="groups" />
          {groups.map((group, index) => (
            <>
              {index > 0 && ', '}
              <a href={`/group/${encodeURIComponent(group.name)}`} lang={langOf(group.displayName, group.localName)}>
                {group.localName}
              </a>
            </>
          ))}
        </Fact>
      )}
      {licenseTitle && (
        <Fact label={t('dataset.license')}>
          <License title={licenseTitle} url={licenseUrl} />
        </Fact>
      )}
      {url && (
        <Fact label={t('dataset.source')}>
          <Address url={url}>{url}</Address>
        </Fact>
      )}
      {author && <Fact label={t('dataset.author')}>{author}</Fact>}
      {maintainer && <Fact label={t('dataset.maintainer')}>{maintainer}</Fact>}
      {label && <Fact label={t('dataset.version')}>{label}</Fact>}
      <Fact label={t('dataset.changed')}>
        <Day instant={dataset.modifiedAt} />
      </Fact>
      <Fact label={t('dataset.published')}>
        <Day instant={dataset.createdAt} />
      </Fact>
      <Fact label={t('common.identifier')}>
        <code>{dataset.databaseId}</code>
      </Fact>
    </dl>
  );
}
