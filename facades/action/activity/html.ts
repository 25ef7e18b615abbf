/** Renders activities as an HTML list of sentences, without header or footer. Escapes all text. */
import type { ActionActivitySentenceFragment, ActivityType } from '../../../src/generated/operations.ts';

type Sentence = ActionActivitySentenceFragment;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
const link = (path: readonly string[], text: string): string =>
  `<a href="/${path.map((step) => escaped(encodeURIComponent(step))).join('/')}">${escaped(text)}</a>`;

const PAGES: Readonly<Record<string, string>> = {
  DATASET: 'dataset',
  USER: 'user',
  GROUP: 'group',
  ORGANIZATION: 'organization',
};

/** The text after the actor's name; `{object}` is a link to the object. */
const SENTENCES: Readonly<Record<ActivityType, string>> = {
  DATASET_CREATED: 'created the dataset {object}',
  DATASET_CHANGED: 'updated the dataset {object}',
  DATASET_DELETED: 'deleted the dataset {object}',
  USER_CREATED: 'signed up',
  USER_CHANGED: 'updated their profile',
  GROUP_CREATED: 'created the group {object}',
  GROUP_CHANGED: 'updated the group {object}',
  GROUP_DELETED: 'deleted the group {object}',
  ORGANIZATION_CREATED: 'created the organization {object}',
  ORGANIZATION_CHANGED: 'updated the organization {object}',
  ORGANIZATION_DELETED: 'deleted the organization {object}',
  RELATED_ITEM_CREATED: 'added the related item {object}',
  RELATED_ITEM_CHANGED: 'updated the related item {object}',
  RELATED_ITEM_DELETED: 'deleted the related item {object}',
  DATASET_FOLLOWED: 'started following {object}',
  USER_FOLLOWED: 'started following {object}',
  GROUP_FOLLOWED: 'started following {object}',
};

/** Names the changed piece when a dataset changed in one piece only. */
const PIECES = {
  RESOURCE: {
    CREATED: 'added the resource {piece} to the dataset {object}',
    CHANGED: 'updated the resource {piece} in the dataset {object}',
    DELETED: 'deleted the resource {piece} from the dataset {object}',
  },
  EXTRA: {
    CREATED: 'added the extra {piece} to the dataset {object}',
    CHANGED: 'changed the extra {piece} of the dataset {object}',
    DELETED: 'deleted the extra {piece} from the dataset {object}',
  },
  TAG: {
    CREATED: 'added the tag {piece} to the dataset {object}',
    CHANGED: 'changed the tag {piece} of the dataset {object}',
    DELETED: 'removed the tag {piece} from the dataset {object}',
  },
} as const;

/** One `<li>` per activity, in order; a message when there is none. */
export const activityHtml = (activities: readonly Sentence[]): string =>
  activities.length === 0
    ? '<p class="empty">No activities are within this activity stream</p>'
    : `<ul class="activity-stream">\n${activities.map(item).join('\n')}\n</ul>`;

function item(activity: Sentence): string {
  const { type, actor, happenedAt, isNew } = activity;
  const who = actor ? link(['user', actor.name], actor.displayName) : 'Somebody';
  const classes = ['item', type.toLowerCase().replaceAll('_', '-'), ...(isNew ? ['new'] : [])].join(' ');
  const time = `<time class="date" datetime="${happenedAt}">${happenedAt.slice(0, 16).replace('T', ' ')}</time>`;
  return `<li class="${classes}"><span class="actor">${who}</span> ${sentence(activity)} ${time}</li>`;
}

function sentence(activity: Sentence): string {
  const [detail, ...others] = activity.details;
  const object = objectLink(activity);
  if (activity.type !== 'DATASET_CHANGED' || !detail || others.length > 0 || detail.piece === 'DATASET')
    return filled(SENTENCES[activity.type], { object });
  const piece =
    detail.piece === 'RESOURCE'
      ? link(['dataset', activity.objectId, 'resource', detail.objectId], detail.title)
      : `<em>${escaped(detail.title)}</em>`;
  return filled(PIECES[detail.piece][detail.change], { piece, object });
}

/** The dataset of a new related item: as it is now, or as stored with the activity when the item was deleted since. */
function datasetOf({ type, object, fields }: Sentence): { name: string; title: string } | null {
  if (type !== 'RELATED_ITEM_CREATED') return null;
  if (object && 'dataset' in object) return object.dataset;
  const { name, title } = (fields as { dataset?: { name?: string; title?: string } } | null)?.dataset ?? {};
  return name === undefined ? null : { name, title: title || name };
}

/** Uses the title at that time and the current URL. Related items have no page, so a new one links to its dataset. */
function objectLink(activity: Sentence): string {
  const { type, object, objectName, objectTitle } = activity;
  if (type.startsWith('RELATED_ITEM_')) {
    const dataset = datasetOf(activity);
    const name = `<em>${escaped(objectTitle)}</em>`;
    return dataset ? `${name} to the dataset ${link(['dataset', dataset.name], dataset.title)}` : name;
  }
  const name = object && 'name' in object ? object.name : objectName;
  return link([PAGES[type.slice(0, type.indexOf('_'))]!, name], objectTitle);
}

const filled = (text: string, parts: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_whole, name: string) => parts[name] ?? '');
