/** Organization or group page: description, and a search of its datasets. */
import type { GroupHeadFragment, ResultsFragment } from '../../../src/generated/operations.ts';
import { Alternates, Formats } from './formats.tsx';
import { type Frame, Layout } from './layout.tsx';
import { SearchResults } from './search-page.tsx';
import type { SearchQuery } from './search-query.ts';

interface GroupProps {
  readonly frame: Frame;
  readonly group: GroupHeadFragment;
  readonly search: SearchQuery;
  readonly results: ResultsFragment;
  /** Path of the page. */
  readonly path: string;
  /** Absolute URL. */
  readonly address: string;
}

export function GroupPage({ frame, group, search, results, path, address }: GroupProps) {
  const { displayName, descriptionHtml, imageDisplayUrl } = group;
  return (
    <Layout frame={frame} title={displayName} head={<Alternates address={address} />}>
      <div class="title">
        {/^https?:/.test(imageDisplayUrl) && <img class="logo" src={imageDisplayUrl} alt="" />}
        <h1>{displayName}</h1>
      </div>
      {group.state !== 'active' && <p class="notice bad">This is {group.state}.</p>}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made of Markdown by markdownToHtml, which lets no tags through */}
      {descriptionHtml && <div class="text" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />}
      <h2>Datasets</h2>
      <SearchResults {...{ path, search, results }} placeholder={`Search datasets of ${displayName}`} />
      <h2>For programs</h2>
      <Formats path={path} />
    </Layout>
  );
}
