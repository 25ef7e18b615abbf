/** Dataset page: description, files and links, and machine-readable formats. */
import type { PageDatasetQuery } from '../../../src/generated/operations.ts';
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
import { LinkBadge } from './link-mark.tsx';
import { NoPage, Pagination } from './pagination.tsx';
import { QualitySection } from './quality.tsx';
import { Region } from './region.tsx';
import { FragmentSlot } from './rendered.ts';
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

type Shown = Pick<DatasetProps, 'dataset'>;

/** Resources on one page. */
const PER_PAGE = 50;

type Resource = Dataset['resources'][number];

/** Extras whose texts the page shows in the reader's language. */
const TRANSLATIONS = new Set(['title_translated', 'notes_translated']);

export function DatasetPage(props: DatasetProps) {
  const { frame, dataset, page } = props;
  const path = pathOf(dataset);
  const isBeyond = page > Math.max(pagesOf(dataset), 1);
  const parts = partsOf(props);
  return (
    <Layout
      frame={frame}
      title={dataset.localTitle}
      meta={{
        path: hrefOf(path, [['page', pageParam(isBeyond ? 1 : page)]]),
        description: excerpt(dataset.localNotes ?? '', META_LENGTH) || dataset.localTitle,
      }}
      head={<Head {...props} />}
    >
      <Region
        {...{ frame, name: 'dataset', parts, values: () => ({ dataset: valuesOf(dataset) }) }}
        fallback={() => wholeOf(parts)}
      />
    </Layout>
  );
}

const pathOf = ({ name }: Dataset): string => `/dataset/${encodeURIComponent(name)}`;
const pagesOf = ({ resources }: Dataset): number => Math.ceil(resources.length / PER_PAGE);

function partsOf(props: DatasetProps) {
  const { frame, dataset } = props;
  const { name, followerCount, viewerIsFollowing, viewerCanUpdate } = dataset;
  return {
    heading: () => <Heading dataset={dataset} />,
    tabs: () => <Tabs tabs={tabsOfDataset(name)} current={pathOf(dataset)} />,
    notices: () => <Notices dataset={dataset} />,
    actions: () => (
      <>
        <Follow {...{ frame, kind: 'dataset', name, followerCount }} isFollowing={viewerIsFollowing} />
        {viewerCanUpdate && <EditLinks frame={frame} dataset={dataset} />}
      </>
    ),
    notes: () => (
      <HtmlText frame={frame} html={dataset.notesHtml} isTranslated={dataset.notes !== dataset.localNotes} />
    ),
    resources: () => <Resources {...props} />,
    tags: () => <Tags dataset={dataset} />,
    extras: () => <Extras dataset={dataset} />,
    facts: () => <Facts dataset={dataset} />,
    quality: () => <QualitySection quality={dataset.quality ?? null} name={name} isEditor={viewerCanUpdate} />,
    use: () => <Use {...props} />,
    citation: () => <Citation {...props} />,
    formats: () => <Programs dataset={dataset} />,
  };
}

/** The page without a template of the theme. */
const wholeOf = (parts: ReturnType<typeof partsOf>) => (
  <>
    {parts.heading()}
    {parts.tabs()}
    {parts.notices()}
    {parts.actions()}
    <div class="find">
      <div class="found">
        {parts.notes()}
        {parts.resources()}
        {parts.tags()}
        {parts.extras()}
      </div>
      <aside>{parts.facts()}</aside>
    </div>
    {parts.quality()}
    {parts.use()}
    {parts.citation()}
    {parts.formats()}
  </>
);

/** Values for a template of the theme. */
function valuesOf(dataset: Dataset) {
  const { name, localTitle, localNotes, label, author, maintainer, licenseTitle, organization, tags } = dataset;
  return {
    ...{ name, title: localTitle, notes: localNotes ?? '', version: label ?? '' },
    ...{ author: author ?? '', maintainer: maintainer ?? '', license: licenseTitle ?? '' },
    ...{ created: dataset.createdAt, modified: dataset.modifiedAt },
    organization: organization && { name: organization.name, title: organization.localTitle || organization.name },
    tags: tags.map((tag) => tag.name),
    extras: Object.fromEntries(extrasOf(dataset).map(({ key, value }) => [key, value])),
  };
}

const extrasOf = ({ extras }: Dataset) => extras.filter(({ key }) => !TRANSLATIONS.has(key));

function Heading({ dataset: { title, localTitle } }: Shown) {
  const { langOf } = useTexts();
  return <h1 lang={langOf(title, localTitle)}>{localTitle}</h1>;
}

function Notices({ dataset: { private: isPrivate, state } }: Shown) {
  const { t } = useTexts();
  return (
    <>
      {isPrivate && <p class="notice">{t('state.privateDataset')}</p>}
      {state !== 'active' && <p class="notice bad">{t('state.datasetState', { state })}</p>}
    </>
  );
}

function Resources({ dataset, page }: DatasetProps) {
  const { t } = useTexts();
  const path = pathOf(dataset);
  const pages = pagesOf(dataset);
  const { resources, name } = dataset;
  return (
    <>
      <h2>{t('dataset.resources')}</h2>
      {resources.length === 0 && <p>{t('dataset.noResources')}</p>}
      {page > Math.max(pages, 1) && <NoPage first={path} />}
      <ul class="cards list">
        {resources.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((resource) => (
          <ResourceItem key={resource.databaseId} resource={resource} dataset={name} />
        ))}
      </ul>
      <Pagination page={page} pages={pages} href={(number) => hrefOf(path, [['page', pageParam(number)]])} />
    </>
  );
}

function Tags({ dataset: { tags } }: Shown) {
  const { t } = useTexts();
  if (tags.length === 0) return null;
  return (
    <>
      <h2>{t('common.tags')}</h2>
      <ul class="pills">
        {tags.map((tag) => (
          <TagItem key={tag.name} tag={tag} />
        ))}
      </ul>
    </>
  );
}

function Extras({ dataset }: Shown) {
  const { t, dataLang } = useTexts();
  const extras = extrasOf(dataset);
  if (extras.length === 0) return null;
  return (
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
  );
}

function Use({ frame, dataset }: DatasetProps) {
  const { t } = useTexts();
  return (
    <>
      <h2 id="use">{t('resource.use')}</h2>
      <Calls calls={datasetCalls(frame.siteUrl, dataset.name)} />
    </>
  );
}

function Citation({ frame, dataset, address }: DatasetProps) {
  const { t, dataLang } = useTexts();
  const { text, bibtex } = citationOf(dataset, frame.siteTitle, address);
  return (
    <>
      <h2>{t('cite.title')}</h2>
      <p class="prose" lang={dataLang}>
        {text}
      </p>
      <Calls calls={[{ language: 'BibTeX', code: bibtex }]} isClosed />
    </>
  );
}

function Programs({ dataset }: Shown) {
  const { t } = useTexts();
  const path = pathOf(dataset);
  return (
    <>
      <h2>{t('common.programs')}</h2>
      <Formats path={path}>
        <li>
          <a href={`${path}/croissant`}>Croissant</a>
        </li>
        {dataset.quality && (
          <li>
            <a href={`${path}/quality.ttl`}>DQV</a>
          </li>
        )}
        <li>
          <a href={`/api/3/action/package_show?id=${encodeURIComponent(dataset.name)}`}>{t('dataset.json')}</a>
        </li>
      </Formats>
    </>
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
        <LinkBadge link={resource.link} />
      </p>
    </li>
  );
}

function Facts({ dataset }: Shown) {
  const { t, langOf } = useTexts();
  const { url, label, author, maintainer, licenseTitle, licenseUrl, organization, groups } = dataset;
  return (
    <>
      <h2>{t('dataset.about')}</h2>
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
        <FragmentSlot />
        <Fact label={t('common.identifier')}>
          <code>{dataset.databaseId}</code>
        </Fact>
      </dl>
    </>
  );
}

/** The fragment of the page: how often the dataset is used. A page would otherwise be rendered again for each count of its views. */
export function UsageFacts(usage: PageDatasetQuery['dataset']['usageSummary']) {
  const { t } = useTexts();
  return (
    <>
      {(['views', 'downloads'] as const)
        .filter((kind) => usage[kind].total > 0)
        .map((kind) => (
          <Fact key={kind} label={t(`dataset.${kind}`)}>
            {t('dataset.used', { total: usage[kind].total, recent: usage[kind].recent })}
          </Fact>
        ))}
    </>
  );
}
