/** The scope of a search: as an SQL condition, and for rows cached in the process. Both must agree. */
import { type HiddenFacts, hiddenTest, readable } from '../../catalog/document/readable.ts';
import { isPublic, type Scope } from '../engine.ts';
import type { Values } from './sql.ts';

export function scopeText(scope: Scope, values: Values): string {
  if (isPublic(scope)) return 's.public';
  const first = values.list.length + 1;
  for (const value of scope.reader) values.bind(value);
  const drafts = scope.drafts ? ` OR (s.state = 'draft' AND ($${first} OR s.creator_id = $${first + 1}))` : '';
  return `${readable('s', first)} AND (s.state = 'active'${drafts})${scope.private ? '' : ' AND NOT s.private'}`;
}

/** A row that is not public but active or a draft. No search finds other hidden rows. */
export interface HiddenRow extends HiddenFacts {
  readonly private: boolean;
}

/** Whether a hidden row is in the scope. */
export function scopeTest({ drafts, private: isPrivate, reader }: Scope): (row: HiddenRow) => boolean {
  const mayRead = hiddenTest(reader);
  const [isSysadmin, userId] = reader;
  const isShown = ({ state, creatorId }: HiddenRow) =>
    state === 'active' || (drafts && (isSysadmin || (userId !== null && creatorId === userId)));
  return (row) => (isPrivate || !row.private) && isShown(row) && mayRead(row);
}
