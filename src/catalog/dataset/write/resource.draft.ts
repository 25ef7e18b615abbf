/** Drafts a resource row from its input: defaults, normalized values and problems. Pure. */

import { describedType } from '../../../infra/files/types.ts';
import type { Problem } from '../../../kernel/errors.ts';
import type { ResourceRow } from '../../document/project.ts';
import { cleanFormat, guessFormat } from './formats.ts';
import type { ResourceInput } from './input.ts';
import { draftAddress, type FileChange, type FileFacts, isScriptAddress, SCRIPT_REFUSED } from './resource.address.ts';

/** A row without the columns that only the writer knows. */
export type ResourceDraft = Omit<ResourceRow, 'datasetId' | 'position' | 'revisionId' | 'version'>;

const TEXTS = ['name', 'mimetype', 'mimetypeInner', 'resourceType', 'cacheUrl', 'webstoreUrl'] as const;
const FILLED = ['description', 'hash'] as const;
const LINKS = ['cacheUrl', 'webstoreUrl'] as const;
const INSTANTS = ['created', 'lastModified', 'cacheLastUpdated', 'webstoreLastUpdated'] as const;

interface Context extends FileChange {
  /** The row that is changed; undefined for a new one. */
  readonly existing: ResourceDraft | undefined;
  /** `merge` keeps omitted extras. */
  readonly extras: 'replace' | 'merge';
  readonly newId: () => string;
  /** Wire form of the request time, for `created` and, with a file, `lastModified`. */
  readonly now: string;
}

/** The row's new values. Adds problems with paths below `path`. */
export function draftResource(
  input: ResourceInput,
  context: Context,
  path: Problem['path'],
  problems: Problem[],
): ResourceDraft {
  const { existing } = context;
  const add = (field: string, message: string) => problems.push({ path: [...path, field], message });
  const draft: ResourceDraft = { ...(existing ?? blank(context)), state: 'active' };
  if (!existing && input.databaseId) draft.id = input.databaseId;
  for (const key of TEXTS) if (input[key] !== undefined) draft[key] = input[key];
  for (const key of LINKS) if (isScriptAddress(input[key] ?? '')) add(key, SCRIPT_REFUSED);
  for (const key of FILLED) if (input[key] !== undefined) draft[key] = input[key] ?? '';
  for (const key of INSTANTS) {
    const text = input[key];
    if (text === undefined || (key === 'created' && !text)) continue;
    draft[key] = text ? cleanInstant(text, () => add(key, 'Date format incorrect')) : null;
  }
  if (input.size !== undefined) draft.size = input.size === null ? null : BigInt(input.size);
  Object.assign(draft, draftAddress(input, existing, context, add));
  if (context.upload !== undefined) Object.assign(draft, describedFile(context.upload, input, context.now));
  if (input.format !== undefined) draft.format = cleanFormat(input.format ?? '');
  if (!draft.format && !existing && !input.databaseId) draft.format = guessFormat(draft.url);
  draft.extras = cleanExtras(input, context, add);
  return draft;
}

/** The fields that a new file changes. As in later CKAN, a media type in the input wins, and the size is that of the stored bytes. */
const describedFile = ({ name, size, fillsFields }: FileFacts, { mimetype }: ResourceInput, lastModified: string) => ({
  lastModified,
  ...(fillsFields && { size: BigInt(size), mimetype: mimetype || describedType(name) }),
});

const blank = ({ newId, now }: Context): ResourceDraft => ({
  id: newId(),
  state: 'active',
  url: '',
  name: null,
  description: '',
  format: '',
  hash: '',
  mimetype: null,
  mimetypeInner: null,
  resourceType: null,
  urlType: null,
  cacheUrl: null,
  webstoreUrl: null,
  size: null,
  created: now,
  lastModified: null,
  cacheLastUpdated: null,
  webstoreLastUpdated: null,
  extras: {},
  datastoreActive: false,
});

function cleanExtras(input: ResourceInput, context: Context, add: (field: string, message: string) => void): unknown {
  const before = (context.existing?.extras ?? {}) as Record<string, unknown>;
  if (input.extras === undefined || input.extras === null) return context.extras === 'merge' ? before : {};
  if (typeof input.extras !== 'object' || Array.isArray(input.extras)) {
    add('extras', 'Must be an object');
    return before;
  }
  const merged = context.extras === 'merge' ? { ...before, ...input.extras } : { ...input.extras };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== undefined));
}

const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** ISO 8601 as UTC without a zone, fraction of six digits or none; calls `refuse` for an invalid instant. */
function cleanInstant(text: string, refuse: () => void): string {
  const [, date, minutes = '00:00', seconds = '00', fraction, zone] = INSTANT.exec(text.trim()) ?? [];
  const at = new Date(
    `${date}T${minutes}:${seconds}${zone && zone !== 'Z' ? zone.replace(/^(...)(\d\d)$/, '$1:$2') : 'Z'}`,
  );
  const sameDay = !zone && !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) !== date;
  if (!date || Number.isNaN(at.getTime()) || sameDay) {
    refuse();
    return text;
  }
  return at.toISOString().slice(0, 19) + (fraction ? `.${fraction.padEnd(6, '0')}` : '');
}
