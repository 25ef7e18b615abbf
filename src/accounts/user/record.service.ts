/** Change-log entries of users. */
import { recordRevision } from '../../changes/changes.service.ts';
import type { ChangeRecord } from '../../changes/changes.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import type { UserRecord } from './user.store.ts';

const VERB: Record<ChangeRecord['action'], string> = {
  created: 'Create',
  updated: 'Update',
  deleted: 'Delete',
  restored: 'Restore',
  purged: 'Purge',
  noted: 'Note',
};

/** Details name changed fields, never values: e-mail addresses must not be in the log. Streams show new and changed profiles. */
export const recordUser = (
  call: Call,
  { id, name, state }: UserRecord,
  action: ChangeRecord['action'],
  detail: Record<string, unknown>,
  wasActive = false,
): Promise<void> =>
  recordRevision(call, newId(), `${VERB[action]} user ${name}`, [
    {
      objectType: 'user',
      objectId: id,
      action,
      detail: { name, ...detail },
      activityId: isInStreams(action, detail) ? newId() : undefined,
      isPublic: wasActive || state === 'active',
    },
  ]);

/** Changes of keys are not shown in streams. */
const isInStreams = (action: ChangeRecord['action'], { fields }: { fields?: unknown }): boolean =>
  action === 'created' || (action === 'updated' && Array.isArray(fields) && fields.some((field) => field !== 'apiKey'));
