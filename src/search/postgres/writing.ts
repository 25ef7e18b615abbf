/** Context for writing a plan as SQL. `s` is dataset_search, `d` is dataset. */

import { byTextField } from '../../kernel/dataset-fields.ts';
import { columnOf } from '../../kernel/text.ts';
import { USE } from '../../kernel/usage.ts';
import type { Column } from '../query/fields.ts';
import type { TextMatch } from '../query/plan.ts';
import type { Stem } from '../words/stemmers.ts';
import type { Values } from './sql.ts';

/** State shared while one plan is written. */
export interface Writing {
  readonly values: Values;
  readonly stem: Stem;
  readonly siteId: string;
  /** Set when a column of dataset is used. */
  joinsDataset: boolean;
  /** Set when a number of views is used. */
  joinsViews?: boolean;
  /** Index words that patterns and fuzzy terms match. */
  readonly expanded: ReadonlyMap<TextMatch, readonly string[]>;
  /** Words already bound, shared by conditions and scores. */
  readonly words: Map<TextMatch, { readonly column: string; readonly query: string } | null>;
}

/** Columns that dataset_search has too, so no join is needed. */
const HERE: Partial<Record<Column, string>> = {
  id: 's.dataset_id',
  name: 's.name',
  title: 's.title',
  state: 's.state',
  capacity: `(CASE WHEN s.private THEN 'private' ELSE 'public' END)`,
  private: '(s.private::text)',
  creatorId: 's.creator_id',
  ownerId: 's.owner_organization_id',
  createdAt: 's.created_at',
  modifiedAt: 's.modified_at',
  resourceCount: 's.resource_count',
  tagCount: 's.tag_count',
};
const ELSEWHERE: Partial<Record<Column, string>> = {
  ...byTextField((_key, field) => `d.${columnOf(field)}`),
  revisionId: 'd.revision_id',
};

/** Largest number of views that an order tells apart: Solr has integers of 32 bits. */
const MAX_VIEWS = 999_999_999;
/** Joins the views of a dataset as `v`. */
export const VIEWS = `LEFT JOIN usage_total v ON v.dataset_id = s.dataset_id AND v.resource_id = '' AND v.kind = ${USE.view}`;
export const viewsOf = (sum: 'total' | 'recent'): string => `LEAST(COALESCE(v.${sum}, 0), ${MAX_VIEWS})::int`;
const USED: Partial<Record<Column, string>> = { viewsTotal: viewsOf('total'), viewsRecent: viewsOf('recent') };

/** A column in SQL. */
export function columnText(column: Column, writing: Writing): string {
  const here = HERE[column];
  if (here) return here;
  const used = USED[column];
  if (used) {
    writing.joinsViews = true;
    return used;
  }
  writing.joinsDataset = true;
  return ELSEWHERE[column]!;
}
