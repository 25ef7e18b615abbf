/** Dataset page: description, files and links, and machine-readable formats. */
import { Day, excerpt, Format, META_LENGTH } from './cards.tsx';
import { EditLinks } from './edit-links.tsx';
import { Address, bytes, Fact } from './facts.tsx';
import { Alternates, Formats } from './formats.tsx';
import { JsonLd } from './head.tsx';
import { type Frame, Layout } from './layout.tsx';
import { isDownload, resourcePath } from './resource-calls.ts';
import { type Dataset, schemaOrg } from './schema-org.ts';
import { Tabs, tabsOfDataset } from './tabs.tsx';

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
      <Tabs tabs={tabsOfDataset(dataset.name)} current={path} />
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
              <ResourceItem key={resource.databaseId} resource={resource} dataset={dataset.name} />
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

function ResourceItem({ resource, dataset }: { resource: Resource; dataset: string }) {
  const { databaseId, url, name, format, description, size } = resource;
  return (
    <li id={`resource-${databaseId}`} class="card">
      <h3>
        <a href={resourcePath(dataset, databaseId)}>{name || url || 'Unnamed resource'}</a>
      </h3>
      {description && <p class="quiet">{excerpt(description)}</p>}
      <p class="meta">
        {format && <Format format={format} />}
        {size !== null && <span>{bytes(size)}</span>}
        <Address url={url}>{isDownload(url) ? 'Download' : 'Open link'}</Address>
      </p>
    </li>
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
          <span id="groups" />
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
