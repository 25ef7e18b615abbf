/** Organization or group page: description, and a search of its datasets. */
import type { GroupHeadFragment, ResultsFragment } from '../../../src/generated/operations.ts';
import { excerpt, META_LENGTH } from './cards.tsx';
import { feedOf } from './feed-paths.ts';
import { Alternates, Formats } from './formats.tsx';
import { JsonLd } from './head.tsx';
import { type Frame, Layout } from './layout.tsx';
import { schemaOrgOrganization } from './schema-org.ts';
import { SearchResults } from './search-page.tsx';
import { type SearchQuery, searchMeta } from './search-query.ts';
import { Tabs, tabsOfGroup } from './tabs.tsx';

export type GroupKind = 'organization' | 'group';

interface GroupProps {
  readonly frame: Frame;
  readonly kind: GroupKind;
  readonly group: GroupHeadFragment;
  readonly search: SearchQuery;
  readonly results: ResultsFragment;
  /** Path of the page. */
  readonly path: string;
  /** Absolute URL. */
  readonly address: string;
}

export function GroupPage({ frame, kind, group, search, results, path, address }: GroupProps) {
  const { displayName, description, descriptionHtml, imageDisplayUrl } = group;
  const meta = {
    ...searchMeta(path, search),
    description: excerpt(description, META_LENGTH) || `Datasets of ${displayName}.`,
    image: imageDisplayUrl,
    feed: { title: displayName, path: feedOf(kind, group.name) },
  };
  return (
    <Layout
      frame={frame}
      title={displayName}
      meta={meta}
      head={
        <>
          <Alternates address={address} />
          {kind === 'organization' && <JsonLd data={schemaOrgOrganization(group, address)} />}
        </>
      }
    >
      <div class="title">
        {/^https?:/.test(imageDisplayUrl) && <img class="logo" src={imageDisplayUrl} alt="" />}
        <h1>{displayName}</h1>
      </div>
      <Tabs tabs={tabsOfGroup(kind, group.name)} current={path} />
      {group.state !== 'active' && <p class="notice bad">This is {group.state}.</p>}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made of Markdown by markdownToHtml, which lets no tags through */}
      {descriptionHtml && <div class="text" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />}
      <h2>Datasets</h2>
      <SearchResults {...{ path, search, results }} placeholder={`Search datasets of ${displayName}`} />
      <h2>For programs</h2>
      <Formats path={path}>
        <li>
          <a href={feedOf(kind, group.name)}>Atom feed</a>
        </li>
      </Formats>
    </Layout>
  );
}
