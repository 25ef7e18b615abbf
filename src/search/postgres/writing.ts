/** Context for writing a plan as SQL. `s` is dataset_search, `d` is dataset. */

import { byTextField } from '../../kernel/dataset-fields.ts';
import { columnOf } from '../../kernel/text.ts';
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

/** A column in SQL. */
export function columnText(column: Column, writing: Writing): string {
  const here = HERE[column];
  if (here) return here;
  writing.joinsDataset = true;
  return ELSEWHERE[column]!;
}
