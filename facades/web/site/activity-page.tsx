/** Activities of an object or of the catalog, newest first. */
import type { ActivityPageFragment } from '../../../src/generated/operations.ts';
import { Moment } from './cards.tsx';
import { type Frame, Layout } from './layout.tsx';
import { type KeysetPage, NextPage } from './pagination.tsx';
import { type Tab, Tabs } from './tabs.tsx';

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
}

export const ActivitiesPage = ({ frame, title, activities, page, path, tabs, isOwn = false }: ActivitiesProps) => (
  <Layout
    frame={frame}
    title={title}
    {...(!isOwn && { meta: { path: page.href, description: `${title} in ${frame.siteTitle}.` } })}
  >
    <h1>{title}</h1>
    {tabs && <Tabs tabs={tabs} current={path} />}
    {activities.nodes.length === 0 && <p>{isOwn ? 'Nothing happened yet.' : 'There are no activities.'}</p>}
    <ol class="activities">
      {activities.nodes.map((activity) => (
        <ActivityItem key={activity.databaseId} activity={activity} />
      ))}
    </ol>
    <NextPage href={page.next} label="Older activities" />
  </Layout>
);

const VERBS = {
  CREATED: 'created',
  CHANGED: 'changed',
  DELETED: 'deleted',
  FOLLOWED: 'followed',
} as const;

/** Kind of the object of an activity, and the first segment of its page. */
const KINDS: Readonly<Record<string, { label: string; folder: string | null }>> = {
  DATASET: { label: 'the dataset', folder: 'dataset' },
  USER: { label: 'the user', folder: 'user' },
  GROUP: { label: 'the group', folder: 'group' },
  ORGANIZATION: { label: 'the organization', folder: 'organization' },
  RELATED_ITEM: { label: 'the related item', folder: null },
};

function ActivityItem({ activity }: { activity: Activity }) {
  const { type, actor, happenedAt, objectName, objectTitle, object, details } = activity;
  const [, what = '', did = ''] = /^(.*)_(\w+)$/.exec(type) ?? [];
  const { label, folder } = KINDS[what] ?? { label: 'the object', folder: null };
  const place = object?.__typename === 'Organization' ? 'organization' : folder;
  return (
    <li>
      <p>
        {actor ? <a href={`/user/${encodeURIComponent(actor.name)}`}>{actor.displayName}</a> : 'Somebody'}{' '}
        {VERBS[did as keyof typeof VERBS] ?? 'changed'} {label}{' '}
        {object && place ? (
          <a href={`/${place}/${encodeURIComponent(objectName)}`}>{objectTitle}</a>
        ) : (
          <strong>{objectTitle}</strong>
        )}{' '}
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
const CHANGES = { CREATED: 'Added', CHANGED: 'Changed', DELETED: 'Removed' } as const;
const PIECES = { RESOURCE: 'resource', EXTRA: 'field', TAG: 'tag', DATASET: 'dataset' } as const;

/** Changed parts of a dataset. Its own fields are the subject of the activity itself. */
function Details({ details }: { details: readonly Detail[] }) {
  const parts = details.filter(({ piece }) => piece !== 'DATASET');
  if (parts.length === 0) return null;
  return (
    <ul>
      {parts.slice(0, MAX_DETAILS).map(({ piece, change, title }) => (
        <li key={`${piece} ${change} ${title}`}>
          {CHANGES[change]} {PIECES[piece]} “{title}”
        </li>
      ))}
      {parts.length > MAX_DETAILS && <li>and {parts.length - MAX_DETAILS} more</li>}
    </ul>
  );
}
