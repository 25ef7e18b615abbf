/** Compares two copies of a dataset's document and lists the changed parts. Pure. */
import { derivedId } from '../../kernel/ids.ts';
import { ownFields } from '../document/own-fields.ts';
import type { DatasetBody, ResourceBody } from '../document/record.ts';
import { extrasOf } from '../resource/resource.extras.ts';
import type { ActivityRow } from './activity.sql.ts';

/** The backing type of ActivityDetail. */
export interface DetailRecord {
  readonly databaseId: string;
  readonly activity: ActivityRow;
  readonly piece: 'DATASET' | 'RESOURCE' | 'EXTRA' | 'TAG';
  readonly change: 'CREATED' | 'CHANGED' | 'DELETED';
  readonly objectId: string;
  readonly title: string;
  readonly fields: unknown;
}

/** The dataset after and before the activity; null where it did not exist. */
export interface Copies {
  readonly before: DatasetBody | null;
  readonly after: DatasetBody;
}

type Found = Pick<DetailRecord, 'piece' | 'change' | 'objectId' | 'title' | 'fields'>;

/** The dataset, then resources by position, extras by key and tags by name; removed parts come last of their kind. */
export function detailsOf(activity: ActivityRow, { before, after }: Copies): DetailRecord[] {
  const found = activity.action === 'created' ? parts(null, after) : before ? parts(before, after) : [];
  // A deleted dataset is shown in its last public state.
  const shown = activity.action === 'deleted' && before ? before : after;
  const own: Found[] =
    after.revision_id === activity.writtenBy
      ? [
          {
            piece: 'DATASET',
            change: changeOf(activity),
            objectId: after.id,
            title: shown.title,
            fields: ownFields(shown),
          },
        ]
      : [];
  return [...own, ...found].map((detail) => ({
    ...detail,
    activity,
    databaseId: derivedId(activity.id, detail.piece, detail.objectId),
  }));
}

const changeOf = ({ action }: ActivityRow): DetailRecord['change'] =>
  action === 'created' ? 'CREATED' : action === 'deleted' ? 'DELETED' : 'CHANGED';

/** Only editors see private, draft and deleted datasets. Activities show no parts of them, neither on publishing nor on deletion. */
const hidden = ({ private: isPrivate, state }: DatasetBody): boolean => isPrivate || state !== 'active';

function parts(before: DatasetBody | null, after: DatasetBody): Found[] {
  if (hidden(after) || (before && hidden(before))) return [];
  return [
    ...compared('RESOURCE', before?.resources ?? [], after.resources, {
      id: ({ id }) => id,
      title: ({ name, url }) => name || url,
      fields: resourceFields,
      same: (a, b) => a.revision_id === b.revision_id,
    }),
    ...compared('EXTRA', before?.extras ?? [], after.extras, {
      id: ({ key }) => derivedId(after.id, 'extra', key),
      title: ({ key }) => key,
      fields: (extra) => ({ ...extra }),
      same: (a, b) => a.value === b.value,
    }),
    ...compared('TAG', before?.tags ?? [], after.tags, {
      id: ({ id }) => derivedId(after.id, 'tag', id),
      title: ({ name }) => name,
      fields: ({ id, name, vocabulary_id }) => ({ id, name, vocabulary_id }),
      same: () => true,
    }),
  ];
}

const resourceFields = ({ datastore_active: _, ...resource }: ResourceBody) => ({
  ...resource,
  extras: extrasOf(resource as ResourceBody),
});

interface Reading<Item> {
  id(item: Item): string;
  title(item: Item): string;
  fields(item: Item): unknown;
  same(before: Item, after: Item): boolean;
}

function compared<Item>(
  piece: DetailRecord['piece'],
  before: readonly Item[],
  after: readonly Item[],
  read: Reading<Item>,
): Found[] {
  const was = new Map(before.map((item) => [read.id(item), item]));
  const is = new Set(after.map((item) => read.id(item)));
  const found = (change: DetailRecord['change'], item: Item): Found => ({
    piece,
    change,
    objectId: read.id(item),
    title: read.title(item),
    fields: read.fields(item),
  });
  return [
    ...after.flatMap((item) => {
      const earlier = was.get(read.id(item));
      if (earlier === undefined) return [found('CREATED', item)];
      return read.same(earlier, item) ? [] : [found('CHANGED', item)];
    }),
    ...before.filter((item) => !is.has(read.id(item))).map((item) => found('DELETED', item)),
  ];
}
