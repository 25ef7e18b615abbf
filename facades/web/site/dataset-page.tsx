/** Dataset page: description, files and links, and machine-readable formats. */
import type { ComponentChildren } from 'preact';
import { Day, excerpt, Format, META_LENGTH } from './cards.tsx';
import { EditLinks } from './edit-links.tsx';
import { Alternates, Formats } from './formats.tsx';
import { JsonLd } from './head.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type Dataset, schemaOrg } from './schema-org.ts';

interface DatasetProps {
  readonly frame: Frame;
  readonly dataset: Dataset;
  /** Absolute URL. */
  readonly address: string;
}

type Resource = Dataset['resources'][number];

export function DatasetPage({ frame, dataset, address }: DatasetProps) {
  const { title, notesHtml, tags, extras, resources } = dataset;
  const path = `/dataset/${encodeURIComponent(dataset.name)}`;
  return (
    <Layout
      frame={frame}
      title={title}
      meta={{ path, description: excerpt(dataset.notes ?? '', META_LENGTH) || title }}
      head={<Head {...{ frame, dataset, address }} />}
    >
      <h1>{title}</h1>
      {dataset.private && <p class="notice">Private: only members of its organization see this dataset.</p>}
      {dataset.state !== 'active' && <p class="notice bad">This dataset is {dataset.state}.</p>}
      {dataset.viewerCanUpdate && <EditLinks frame={frame} dataset={dataset} />}
      <div class="find">
        <div class="found">
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made of Markdown by markdownToHtml, which lets no tags through */}
          {notesHtml && <div class="text" dangerouslySetInnerHTML={{ __html: notesHtml }} />}
          <h2>Data and resources</h2>
          {resources.length === 0 && <p>This dataset has no resources.</p>}
          <ul class="cards list">
            {resources.map((resource) => (
              <ResourceItem key={resource.databaseId} resource={resource} />
            ))}
          </ul>
          {tags.length > 0 && (
            <>
              <h2>Tags</h2>
              <ul class="pills">
                {tags.map((tag) => (
                  <li key={tag.name}>
                    <a href={`/dataset?tags=${encodeURIComponent(tag.name)}`}>{tag.displayName}</a>
                  </li>
                ))}
              </ul>
            </>
          )}
          {extras.length > 0 && (
            <>
              <h2>Additional information</h2>
              <dl>
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
          <h2>About this dataset</h2>
          <Facts dataset={dataset} />
        </aside>
      </div>
      <h2>For programs</h2>
      <Formats path={path}>
        <li>
          <a href={`${path}/croissant`}>Croissant</a>
        </li>
        <li>
          <a href={`/api/3/action/package_show?id=${encodeURIComponent(dataset.name)}`}>JSON of the Action API</a>
        </li>
      </Formats>
    </Layout>
  );
}

function Head({ frame, dataset, address }: DatasetProps) {
  return (
    <>
      <Alternates address={address} />
      <JsonLd data={schemaOrg(dataset, address, frame)} />
    </>
  );
}

function ResourceItem({ resource: { databaseId, url, name, format, description, size } }: { resource: Resource }) {
  return (
    <li id={`resource-${databaseId}`} class="card">
      <h3>
        <Address url={url}>{name || url || 'Unnamed resource'}</Address>
      </h3>
      {description && <p class="quiet">{description}</p>}
      {(format || size !== null) && (
        <p class="meta">
          {format && <Format format={format} />} {size !== null && <span>{bytes(size)}</span>}
        </p>
      )}
    </li>
  );
}

/** A link when browsers may follow the URL; otherwise its text. */
function Address({ url, children }: { url: string; children: ComponentChildren }) {
  return /^(https?|ftp):\/\//i.test(url) ? (
    <a href={url} rel="nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
}

function Facts({ dataset }: { dataset: Dataset }) {
  const { url, label, author, maintainer, licenseTitle, licenseUrl, organization, groups } = dataset;
  return (
    <dl>
      {organization && (
        <Fact label="Organization">
          <a href={`/organization/${encodeURIComponent(organization.name)}`}>
            {organization.title || organization.name}
          </a>
        </Fact>
      )}
      {groups.length > 0 && (
        <Fact label="Groups">
          {groups.map((group, index) => (
            <>
              {index > 0 && ', '}
              <a href={`/group/${encodeURIComponent(group.name)}`}>{group.displayName}</a>
            </>
          ))}
        </Fact>
      )}
      {licenseTitle && (
        <Fact label="License">
          <Address url={licenseUrl ?? ''}>{licenseTitle}</Address>
        </Fact>
      )}
      {url && (
        <Fact label="Source">
          <Address url={url}>{url}</Address>
        </Fact>
      )}
      {author && <Fact label="Author">{author}</Fact>}
      {maintainer && <Fact label="Maintainer">{maintainer}</Fact>}
      {label && <Fact label="Version">{label}</Fact>}
      <Fact label="Last changed">
        <Day instant={dataset.modifiedAt} />
      </Fact>
      <Fact label="Published">
        <Day instant={dataset.createdAt} />
      </Fact>
      <Fact label="Identifier">
        <code>{dataset.databaseId}</code>
      </Fact>
    </dl>
  );
}

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
);

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1,536` → `1.5 KiB`. */
function bytes(size: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(size, 1)) / 10), UNITS.length - 1);
  return `${Number((size / 1024 ** power).toPrecision(3))} ${UNITS[power]}`;
}
