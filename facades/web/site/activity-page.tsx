/** Activities of an object or of the catalog, newest first. */
import type { ComponentChildren } from 'preact';
import type { ActivityPageFragment } from '../../../src/generated/operations.ts';
import { Moment } from './cards.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type KeysetPage, NextPage } from './pagination.tsx';
import { type Tab, Tabs } from './tabs.tsx';
import { useTexts } from './use-texts.ts';

type Activity = ActivityPageFragment['nodes'][number];
type Detail = Activity['details'][number];

interface ActivitiesProps {
  readonly frame: Frame;
  readonly title: string;
  readonly activities: ActivityPageFragment;
  readonly page: KeysetPage;
  /** Path without parameters. */
  readonly path: string;
  readonly tabs?: readonly Tab[];
  /** Whether only the reader can see the page. */
  readonly isOwn?: boolean;
  /** Above the activities. */
  readonly children?: ComponentChildren;
}

export function ActivitiesPage({
  frame,
  title,
  activities,
  page,
  path,
  tabs,
  isOwn = false,
  children,
}: ActivitiesProps) {
  const { t } = useTexts();
  const meta = { path: page.href, description: t('activity.description', { title, site: frame.siteTitle }) };
  return (
    <Layout frame={frame} title={title} {...(!isOwn && { meta })}>
      <h1>{title}</h1>
      {tabs && <Tabs tabs={tabs} current={path} />}
      {children}
      {activities.nodes.length === 0 && <p>{isOwn ? t('activity.nothing') : t('activity.empty')}</p>}
      <ol class="activities">
        {activities.nodes.map((activity) => (
          <ActivityItem key={activity.databaseId} activity={activity} />
        ))}
      </ol>
      <NextPage href={page.next} label={t('activity.older')} />
    </Layout>
  );
}

const VERBS = {
  CREATED: 'activity.created',
  CHANGED: 'activity.changed',
  DELETED: 'activity.deleted',
  FOLLOWED: 'activity.followed',
} as const;

/** First segment of the page of an activity's object, by its kind. */
const FOLDERS: Readonly<Record<string, string>> = {
  DATASET: 'dataset',
  USER: 'user',
  GROUP: 'group',
  ORGANIZATION: 'organization',
};

function ActivityItem({ activity }: { activity: Activity }) {
  const { t, rich, dataLang } = useTexts();
  const { type, actor, happenedAt, objectName, objectTitle, object, details } = activity;
  const [, kind = '', did = ''] = /^(.*)_(\w+)$/.exec(type) ?? [];
  const folder = object?.__typename === 'Organization' ? 'organization' : FOLDERS[kind];
  const named =
    object && folder ? (
      <a href={`/${folder}/${encodeURIComponent(objectName)}`} lang={dataLang}>
        {objectTitle}
      </a>
    ) : (
      <strong lang={dataLang}>{objectTitle}</strong>
    );
  const by = actor ? (
    <a href={`/user/${encodeURIComponent(actor.name)}`}>{actor.displayName}</a>
  ) : (
    t('activity.somebody')
  );
  return (
    <li>
      <p>
        {rich(VERBS[did as keyof typeof VERBS] ?? VERBS.CHANGED, { actor: by, kind, object: named })}{' '}
        <span class="hint">
          <Moment instant={happenedAt} />
        </span>
      </p>
      <Details details={details} />
    </li>
  );
}

/** Details of one activity that are shown. */
const MAX_DETAILS = 10;
const CHANGES = {
  CREATED: 'activity.partCreated',
  CHANGED: 'activity.partChanged',
  DELETED: 'activity.partDeleted',
} as const;

/** Changed parts of a dataset. Its own fields are the subject of the activity itself. */
function Details({ details }: { details: readonly Detail[] }) {
  const { t, rich, dataLang } = useTexts();
  const parts = details.filter(({ piece }) => piece !== 'DATASET');
  if (parts.length === 0) return null;
  return (
    <ul>
      {parts.slice(0, MAX_DETAILS).map(({ piece, change, title }) => (
        <li key={`${piece} ${change} ${title}`}>
          {dataLang
            ? rich(CHANGES[change], { piece, title: <span lang={dataLang}>{title}</span> })
            : t(CHANGES[change], { piece, title })}
        </li>
      ))}
      {parts.length > MAX_DETAILS && <li>{t('count.more', { count: parts.length - MAX_DETAILS })}</li>}
    </ul>
  );
}
