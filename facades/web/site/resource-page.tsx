/** Resource page: preview, metadata, download, columns of its table, and calls for programs. */
import type { ComponentChildren } from 'preact';
import type { PageResourceQuery } from '../../../src/generated/operations.ts';
import { Calls } from './calls.tsx';
import { Day, excerpt, Format, META_LENGTH } from './cards.tsx';
import { Fact, infoOf } from './facts.tsx';
import { type Frame, Layout } from './layout.tsx';
import { License } from './license.tsx';
import { CheckLink, LinkNotice } from './link-mark.tsx';
import { isDownload, resourceCalls, resourcePath, tableCalls } from './resource-calls.ts';
import type { PlainKey, Texts } from './texts.ts';
import { useTexts } from './use-texts.ts';

export type ResourceData = NonNullable<PageResourceQuery['resource']>;
type Table = NonNullable<ResourceData['table']>;

interface ResourceProps {
  readonly frame: Frame;
  readonly resource: ResourceData;
  readonly dataset: NonNullable<ResourceData['dataset']>;
  /** Whether the URL selects a part of the data. */
  readonly isPart: boolean;
  /** The preview. */
  readonly children: ComponentChildren;
}

/** Title of a resource in the language of the page. */
export const titleOf = ({ localName, url }: Pick<ResourceData, 'localName' | 'url'>, { t }: Texts): string =>
  localName || url || t('dataset.unnamed');

interface TrailProps {
  readonly dataset: Pick<ResourceProps['dataset'], 'name' | 'title' | 'localTitle'>;
  readonly children?: ComponentChildren;
}

export function Trail({ dataset, children }: TrailProps) {
  const { t } = useTexts();
  return (
    <nav class="trail" aria-label={t('common.breadcrumbs')}>
      <a href="/dataset">{t('common.datasets')}</a> <span aria-hidden="true">/</span> <DatasetLink dataset={dataset} />
      {children}
    </nav>
  );
}

const DatasetLink = ({ dataset: { name, title, localTitle } }: TrailProps) => (
  <a href={`/dataset/${encodeURIComponent(name)}`} lang={useTexts().langOf(title, localTitle)}>
    {localTitle}
  </a>
);

export function ResourcePage({ frame, resource, dataset, isPart, children }: ResourceProps) {
  const { t, langOf } = useTexts();
  const { databaseId, name, localName, description, localDescription, table } = resource;
  const title = titleOf(resource, frame.texts);
  const meta = {
    path: resourcePath(dataset.name, databaseId),
    description:
      excerpt(localDescription, META_LENGTH) || t('resource.description', { title, dataset: dataset.localTitle }),
    isHidden: isPart,
  };
  return (
    <Layout frame={frame} title={`${title} – ${dataset.localTitle}`} meta={meta}>
      <Trail dataset={dataset} />
      <h1 lang={localName ? langOf(name, localName) : undefined}>{title}</h1>
      {dataset.private && <p class="notice">{t('state.privateDataset')}</p>}
      {dataset.state !== 'active' && <p class="notice bad">{t('state.datasetState', { state: dataset.state })}</p>}
      {localDescription && (
        <p class="prose" lang={langOf(description, localDescription)}>
          {localDescription}
        </p>
      )}
      {dataset.viewerCanUpdate && <EditResource resource={resource} dataset={dataset.name} />}
      <LinkNotice link={resource.link} />
      {dataset.viewerCanUpdate && (
        <CheckLink frame={frame} link={resource.link} dataset={dataset.name} resource={databaseId} />
      )}
      <Downloads resource={resource} />
      {children}
      <div class="find">
        <div class="found">
          {table && <Dictionary table={table} />}
          <h2 id="use">{t('resource.use')}</h2>
          <Calls calls={table ? tableCalls(frame.siteUrl, databaseId) : resourceCalls(frame.siteUrl, databaseId)} />
        </div>
        <aside>
          <h2>{t('resource.about')}</h2>
          <Facts resource={resource} dataset={dataset} />
        </aside>
      </div>
    </Layout>
  );
}

/** Links for people who may change the dataset. */
function EditResource({ resource, dataset }: { resource: ResourceData; dataset: string }) {
  const { t } = useTexts();
  const path = resourcePath(dataset, resource.databaseId);
  return (
    <div class="actions">
      <a class="button" href={`${path}/edit`}>
        {t('edit.edit')}
      </a>
      <a href={`${path}/views`}>{t('views.manage')}</a>
      {resource.table && (
        <a href={`/dataset/${encodeURIComponent(dataset)}/dictionary/${encodeURIComponent(resource.databaseId)}`}>
          {t('resource.dictionary')}
        </a>
      )}
    </div>
  );
}

const DUMPS = { csv: 'CSV', json: 'JSON', ndjson: 'NDJSON', xlsx: 'XLSX', parquet: 'Parquet' } as const;

function Downloads({ resource: { url, databaseId, table } }: { resource: ResourceData }) {
  const { t, rich } = useTexts();
  return (
    <div class="downloads">
      <p>
        {/^(https?|ftp):\/\//i.test(url) ? (
          <a class="button" href={url} rel="nofollow">
            {t(isDownload(url) ? 'dataset.download' : 'dataset.open')}
          </a>
        ) : (
          t('resource.noLink')
        )}
      </p>
      {url && <p class="hint">{url}</p>}
      {table && (
        <p>
          {rich('resource.table', {
            formats: (
              <>
                {Object.entries(DUMPS).map(([format, label], index) => (
                  <>
                    {index > 0 && ', '}
                    <a href={`/datastore/dump/${encodeURIComponent(databaseId)}?format=${format}`} rel="nofollow">
                      {label}
                    </a>
                  </>
                ))}
              </>
            ),
          })}
        </p>
      )}
    </div>
  );
}

/** PostgreSQL types in the words of readers. Others keep their name. */
const TYPES: Readonly<Record<string, PlainKey>> = {
  text: 'resource.typeText',
  int4: 'resource.typeInteger',
  int8: 'resource.typeInteger',
  numeric: 'resource.typeNumber',
  float8: 'resource.typeNumber',
  bool: 'resource.typeBoolean',
  date: 'resource.typeDate',
  time: 'resource.typeTime',
  timestamp: 'resource.typeTimestamp',
  timestamptz: 'resource.typeTimestamp',
};
const JSON_TYPES = new Set(['json', 'jsonb', 'nested']);

/** Columns of the table. `_id` is a number of the catalog, not data. */
function Dictionary({ table: { fields, primaryKey, size } }: { table: Table }) {
  const { t } = useTexts();
  const columns = fields.filter(({ id }) => id !== '_id');
  const typeOf = (type: string): string => {
    const key = TYPES[type];
    return key ? t(key as 'resource.typeText') : JSON_TYPES.has(type) ? 'JSON' : type;
  };
  return (
    <>
      <h2 id="columns">{t('resource.dictionary')}</h2>
      <p class="hint">
        {t('count.record', { count: size.count })}, {t('count.column', { count: columns.length })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a wide table */}
      <section class="scroll" tabIndex={0} aria-label={t('resource.columns')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('resource.column')}</th>
              <th scope="col">{t('resource.type')}</th>
              <th scope="col">{t('resource.columnDescription')}</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ id, type, info }) => (
              <tr key={id}>
                <th scope="row">
                  {id} {primaryKey.includes(id) && <span class="badge">{t('resource.key')}</span>}
                </th>
                <td>{type.startsWith('_') ? t('resource.listOf', { type: typeOf(type.slice(1)) }) : typeOf(type)}</td>
                <td>
                  {infoOf({ info }, 'label') && <strong>{infoOf({ info }, 'label')} </strong>}
                  {infoOf({ info }, 'notes')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Facts({ resource, dataset }: { resource: ResourceData; dataset: ResourceProps['dataset'] }) {
  const { format, mimetype, size, hash, created, lastModified, databaseId } = resource;
  const { t, bytes, langOf } = useTexts();
  const organization = dataset.embeddedOrganization;
  return (
    <dl>
      <Fact label={t('resource.dataset')}>
        <DatasetLink dataset={dataset} />
      </Fact>
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
      {dataset.licenseTitle && (
        <Fact label={t('dataset.license')}>
          <License title={dataset.licenseTitle} url={dataset.licenseUrl} />
        </Fact>
      )}
      {format && (
        <Fact label={t('resource.format')}>
          <Format format={format} />
        </Fact>
      )}
      {mimetype && <Fact label={t('resource.mediaType')}>{mimetype}</Fact>}
      {size !== null && <Fact label={t('resource.size')}>{bytes(size)}</Fact>}
      {lastModified && (
        <Fact label={t('dataset.changed')}>
          <Day instant={lastModified} />
        </Fact>
      )}
      {created && (
        <Fact label={t('resource.added')}>
          <Day instant={created} />
        </Fact>
      )}
      {hash && (
        <Fact label={t('resource.checksum')}>
          <code>{hash}</code>
        </Fact>
      )}
      <Fact label={t('common.identifier')}>
        <code>{databaseId}</code>
      </Fact>
    </dl>
  );
}
