/**
 * Who may see a dataset, as words in its document: mayReadDataset (dataset.policy.ts) and `readable` (readable.ts) cut in two.
 * A dataset says what it is, a reader says what they may see, and one word in common is enough.
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

/** What a reader may see; null is everything. */
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

/** Queries that a dataset must fulfill, each, to be there for the caller. */
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
