/** Resource page: metadata, download, columns of its table, and calls for programs. */
import type { PageResourceQuery } from '../../../src/generated/operations.ts';
import { counted, Day, excerpt, Format, META_LENGTH } from './cards.tsx';
import { Address, bytes, Fact } from './facts.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type Call, isDownload, resourceCalls, resourcePath, tableCalls } from './resource-calls.ts';

export type ResourceData = NonNullable<PageResourceQuery['resource']>;
type Table = NonNullable<ResourceData['table']>;

interface ResourceProps {
  readonly frame: Frame;
  readonly resource: ResourceData;
  readonly dataset: NonNullable<ResourceData['dataset']>;
}

export function ResourcePage({ frame, resource, dataset }: ResourceProps) {
  const { databaseId, url, description, table } = resource;
  const title = resource.name || url || 'Unnamed resource';
  const datasetPath = `/dataset/${encodeURIComponent(dataset.name)}`;
  const meta = {
    path: resourcePath(dataset.name, databaseId),
    description: excerpt(description, META_LENGTH) || `${title}, a resource of ${dataset.title}.`,
  };
  return (
    <Layout frame={frame} title={`${title} – ${dataset.title}`} meta={meta}>
      <nav class="trail" aria-label="Breadcrumbs">
        <a href="/dataset">Datasets</a> <span aria-hidden="true">/</span> <a href={datasetPath}>{dataset.title}</a>
      </nav>
      <h1>{title}</h1>
      {dataset.private && <p class="notice">Private: only members of its organization see this dataset.</p>}
      {dataset.state !== 'active' && <p class="notice bad">The dataset is {dataset.state}.</p>}
      <div class="find">
        <div class="found">
          {description && <p class="prose">{description}</p>}
          <Downloads resource={resource} />
          {table && <Dictionary table={table} />}
          <h2 id="use">How to use this</h2>
          <Calls calls={table ? tableCalls(frame.siteUrl, databaseId) : resourceCalls(frame.siteUrl, databaseId)} />
        </div>
        <aside>
          <h2>About this resource</h2>
          <Facts resource={resource} dataset={dataset} />
        </aside>
      </div>
    </Layout>
  );
}

const DUMPS = { csv: 'CSV', json: 'JSON', ndjson: 'NDJSON', parquet: 'Parquet' } as const;

function Downloads({ resource: { url, databaseId, table } }: { resource: ResourceData }) {
  return (
    <div class="downloads">
      <p>
        {/^(https?|ftp):\/\//i.test(url) ? (
          <a class="button" href={url} rel="nofollow">
            {isDownload(url) ? 'Download' : 'Open link'}
          </a>
        ) : (
          'This resource has no link.'
        )}
      </p>
      {url && <p class="hint">{url}</p>}
      {table && (
        <p>
          The whole table as{' '}
          {Object.entries(DUMPS).map(([format, label], index) => (
            <>
              {index > 0 && ', '}
              <a href={`/datastore/dump/${encodeURIComponent(databaseId)}?format=${format}`} rel="nofollow">
                {label}
              </a>
            </>
          ))}
        </p>
      )}
    </div>
  );
}

/** PostgreSQL types in the words of readers. Others keep their name. */
const TYPES: Readonly<Record<string, string>> = {
  text: 'Text',
  int4: 'Whole number',
  int8: 'Whole number',
  numeric: 'Number',
  float8: 'Number',
  bool: 'True or false',
  date: 'Date',
  time: 'Time of day',
  timestamp: 'Date and time',
  timestamptz: 'Date and time',
  json: 'JSON',
  nested: 'JSON',
};

/** Columns of the table. `_id` is a number of the catalog, not data. */
function Dictionary({ table: { fields, primaryKey, size } }: { table: Table }) {
  const columns = fields.filter(({ id }) => id !== '_id');
  return (
    <>
      <h2 id="columns">Data dictionary</h2>
      <p class="hint">
        {counted(size.count, 'record')}, {counted(columns.length, 'column')}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a wide table */}
      <section class="scroll" tabIndex={0} aria-label="Columns">
        <table>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Type</th>
              <th scope="col">Description</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ id, type, info }) => (
              <tr key={id}>
                <th scope="row">
                  {id} {primaryKey.includes(id) && <span class="badge">key</span>}
                </th>
                <td>{type.startsWith('_') ? `List of ${typeOf(type.slice(1))}` : typeOf(type)}</td>
                <td>
                  {infoOf(info, 'label') && <strong>{infoOf(info, 'label')} </strong>}
                  {infoOf(info, 'notes')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

const typeOf = (type: string): string => TYPES[type] ?? type;

/** A text of a column's entry in the data dictionary. */
function infoOf(info: unknown, key: string): string {
  const value = info && typeof info === 'object' ? (info as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : '';
}

const Calls = ({ calls }: { calls: readonly Call[] }) => (
  <>
    {calls.map(({ language, code }, index) => (
      <details key={language} class="call" open={index === 0}>
        <summary>{language}</summary>
        <pre>
          <code>{code}</code>
        </pre>
      </details>
    ))}
  </>
);

function Facts({ resource, dataset }: { resource: ResourceData; dataset: ResourceProps['dataset'] }) {
  const { format, mimetype, size, hash, created, lastModified, databaseId } = resource;
  const organization = dataset.embeddedOrganization;
  return (
    <dl>
      <Fact label="Dataset">
        <a href={`/dataset/${encodeURIComponent(dataset.name)}`}>{dataset.title}</a>
      </Fact>
      {organization && (
        <Fact label="Organization">
          <a href={`/organization/${encodeURIComponent(organization.name)}`}>
            {organization.title || organization.name}
          </a>
        </Fact>
      )}
      {dataset.licenseTitle && (
        <Fact label="License">
          <Address url={dataset.licenseUrl ?? ''}>{dataset.licenseTitle}</Address>
        </Fact>
      )}
      {format && (
        <Fact label="Format">
          <Format format={format} />
        </Fact>
      )}
      {mimetype && <Fact label="Media type">{mimetype}</Fact>}
      {size !== null && <Fact label="Size">{bytes(size)}</Fact>}
      {lastModified && (
        <Fact label="Last changed">
          <Day instant={lastModified} />
        </Fact>
      )}
      {created && (
        <Fact label="Added">
          <Day instant={created} />
        </Fact>
      )}
      {hash && (
        <Fact label="Checksum">
          <code>{hash}</code>
        </Fact>
      )}
      <Fact label="Identifier">
        <code>{databaseId}</code>
      </Fact>
    </dl>
  );
}
