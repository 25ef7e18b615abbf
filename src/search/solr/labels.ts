/**
 * Access labels in Solr documents: mayReadDataset (dataset.policy.ts) and `readable` (readable.ts) split in two. A dataset has labels, a
 * reader has labels, and one common label grants access.
 */
import type { Scope } from '../engine.ts';
import type { Writing } from './writing.ts';

export interface LabelFacts {
  readonly state: string;
  readonly private: boolean;
  readonly ownerId: string | null;
  readonly creatorId: string | null;
}

const PUBLIC = 'public';

export function labelsOf({ state, private: isPrivate, ownerId, creatorId }: LabelFacts): string[] {
  const labels: string[] = [];
  if (state === 'active' && !isPrivate) labels.push(PUBLIC);
  if (ownerId !== null) {
    if (state === 'active' || state === 'deleted') labels.push(`member ${ownerId}`);
    labels.push(`editor ${ownerId}`);
  } else if (creatorId !== null && state !== 'deleted') labels.push(`creator ${creatorId}`);
  return labels;
}

/** The reader's labels; null grants everything. */
export function readerLabels([isSysadmin, userId, member, edited]: Scope['reader']): string[] | null {
  if (isSysadmin) return null;
  return [
    PUBLIC,
    ...member.map((id) => `member ${id}`),
    ...edited.map((id) => `editor ${id}`),
    ...(userId === null ? [] : [`creator ${userId}`]),
  ];
}

export const PUBLIC_QUERY = `{!term f=labels v=${PUBLIC}}`;

/** Filter queries; a dataset must match all of them to be in the caller's scope. */
export function scopeQueries({ drafts, private: withPrivate, reader }: Scope, { params }: Writing): string[] {
  if (!drafts && !withPrivate) return [PUBLIC_QUERY];
  const [isSysadmin, userId] = reader;
  const labels = readerLabels(reader);
  const term = (field: string, value: string) => `{!term f=${field} v=${params.bind(value)}}`;
  const draft = isSysadmin
    ? term('state', 'draft')
    : userId === null
      ? null
      : `{!bool filter=${params.bind(term('state', 'draft'))} filter=${params.bind(term('creator_id', userId))}}`;
  const active = term('state', 'active');
  return [
    ...(labels === null
      ? []
      : [`{!terms f=labels separator=${params.bind(SEPARATOR)} v=${params.bind(labels.join(SEPARATOR))}}`]),
    drafts && draft !== null ? `{!bool should=${params.bind(active)} should=${params.bind(draft)}}` : active,
    ...(withPrivate ? [] : [term('private', 'false')]),
  ];
}

const SEPARATOR = '\u0001';
