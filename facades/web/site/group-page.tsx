/** Organization or group page: description, and a search of its datasets. */
import type { GroupHeadFragment, QualityLineFragment, ResultsFragment } from '../../../src/generated/operations.ts';
import { excerpt, META_LENGTH } from './cards.tsx';
import { GroupLinks } from './edit-links.tsx';
import { feedOf } from './feed-paths.ts';
import { Alternates, Formats } from './formats.tsx';
import { JsonLd } from './head.tsx';
import { HtmlText } from './html-text.tsx';
import { type Frame, Layout } from './layout.tsx';
import { Picture } from './picture.tsx';
import { QualityLine } from './quality.tsx';
import { schemaOrgOrganization } from './schema-org.ts';
import { SearchResults } from './search-page.tsx';
import { type SearchQuery, searchMeta } from './search-query.ts';
import { Tabs, tabsOfGroup } from './tabs.tsx';
import { useTexts } from './use-texts.ts';

export type GroupKind = 'organization' | 'group';

interface GroupProps {
  readonly frame: Frame;
  readonly kind: GroupKind;
  readonly group: GroupHeadFragment;
  /** Of an organization's datasets; null for groups. */
  readonly quality: QualityLineFragment | null;
  readonly search: SearchQuery;
  readonly results: ResultsFragment;
  /** Path of the page. */
  readonly path: string;
  /** Absolute URL. */
  readonly address: string;
}

export function GroupPage({ frame, kind, group, quality, search, results, path, address }: GroupProps) {
  const { t, langOf } = useTexts();
  const { localName: displayName, description, localDescription, descriptionHtml, imageDisplayUrl, state } = group;
  const meta = {
    ...searchMeta(path, search),
    description: excerpt(localDescription, META_LENGTH) || t('group.description', { group: displayName }),
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
        <Picture frame={frame} url={imageDisplayUrl} name={displayName} />
        <h1 lang={langOf(group.displayName, displayName)}>{displayName}</h1>
      </div>
      <Tabs tabs={tabsOfGroup(kind, group.name)} current={path} />
      <GroupLinks frame={frame} kind={kind} group={group} />
      {state !== 'active' && <p class="notice bad">{t('state.groupState', { kind, state })}</p>}
      <HtmlText frame={frame} html={descriptionHtml} isTranslated={description !== localDescription} />
      {quality && <QualityLine quality={quality} />}
      <h2>{t('common.datasets')}</h2>
      <SearchResults {...{ path, search, results }} placeholder={t('search.placeholderOf', { group: displayName })} />
      <h2>{t('common.programs')}</h2>
      <Formats path={path}>
        <li>
          <a href={feedOf(kind, group.name)}>{t('layout.atom')}</a>
        </li>
      </Formats>
    </Layout>
  );
}
