import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { grouped } from '../../kernel/pages.ts';
import { mayReadDataset } from '../dataset/dataset.policy.ts';
import { listDocuments } from '../dataset/dataset.sql.ts';
import { mayReadGroup } from '../group/group.policy.ts';
import { type GroupRecord, groupsByIds } from '../group/group.store.ts';
import { type RelatedRecord, relatedByIds } from '../related/related.store.ts';
import {
  type ActivityChoice,
  type ActivityRow,
  countStreams,
  type Part,
  partsOfStreams,
  readingOf,
  type StreamKind,
} from './activity.sql.ts';
import type { Copies } from './details.ts';
import { type CopyKey, copiesOf, copyText, fieldsOfCopies } from './snapshots.sql.ts';

/** A stream: its kind and its object's id ('' for SITE and ALL). */
export interface Stream {
  readonly kind: StreamKind;
  readonly id: string;
}
type StreamPart = Stream & { readonly part: Part };

export function activityLoaders(call: Call) {
  const { sql, actor, settings } = call;
  const reading = readingOf(call);
  return {
    /** A part of a stream, in reading order. */
    activityParts: new DataLoader<StreamPart, ActivityRow[], string>(
      (requested) =>
        grouped(
          requested,
          ({ kind, part }) => JSON.stringify([kind, part]),
          ({ kind, part }, ids) => partsOfStreams(sql, kind, ids, part, reading),
        ),
      { cacheKeyFn: ({ kind, id, part }) => JSON.stringify([kind, id, part]) },
    ),
    /** Number of activities in a stream. */
    activityCounts: new DataLoader<Stream & { where: ActivityChoice }, number, string>(
      async (requested) =>
        (
          await grouped(
            requested,
            ({ kind, where }) => JSON.stringify([kind, where]),
            ({ kind, where }, ids) => countStreams(sql, kind, where, ids, reading),
          )
        ).map((count) => count ?? 0),
      { cacheKeyFn: ({ kind, id, where }) => JSON.stringify([kind, id, where]) },
    ),
    /** A dataset's own fields after a revision; null when no copy is stored. */
    datasetFieldsByCopy: new DataLoader<CopyKey, unknown, string>(
      async (keys) => {
        const found = await fieldsOfCopies(sql, keys);
        return keys.map((key) => found.get(copyText(key)) ?? null);
      },
      { cacheKeyFn: copyText },
    ),
    /** A dataset before and after a revision; null when no copy is stored. */
    datasetCopies: new DataLoader<CopyKey, Copies | null, string>(
      async (keys) => {
        const found = await copiesOf(sql, keys);
        return keys.map((key) => found.get(copyText(key)) ?? null);
      },
      { cacheKeyFn: copyText },
    ),
    /** A related item; null when the caller may not read it. */
    readableRelatedItem: new DataLoader<string, RelatedRecord | null>(async (ids) => {
      const found = new Map((await relatedByIds(sql, ids)).map((item) => [item.id, item]));
      const datasetIds = [...found.values()].flatMap(({ datasetId }) => datasetId ?? []);
      const open = new Set(
        (await listDocuments(sql, datasetIds))
          .filter((dataset) => mayReadDataset(actor, dataset, settings) === null)
          .map(({ id }) => id),
      );
      return ids.map((id) => {
        const item = found.get(id);
        return item && (item.datasetId === null || open.has(item.datasetId)) ? item : null;
      });
    }),
    /** A group or organization; null when the caller may not read it. */
    readableGroup: new DataLoader<string, GroupRecord | null>(async (ids) => {
      const found = new Map((await groupsByIds(sql, ids)).map((group) => [group.id, group]));
      return ids.map((id) => {
        const group = found.get(id);
        return group && mayReadGroup(actor, group, actor.capacities.get(id) ?? null) === null ? group : null;
      });
    }),
  };
}
