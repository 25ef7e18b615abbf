/** Changes parts of a dataset that must match the caller's expectation: reads, compares and writes under one lock. */
import type { Call } from '../../../kernel/call.ts';
import { conflict, invalid, invalidField, type Problem } from '../../../kernel/errors.ts';
import { JsonText } from '../../../kernel/json.ts';
import { projectDataset } from '../../document/project.ts';
import type { DatasetBody, DatasetRecord } from '../../document/record.ts';
import { type NewFile, type UploadInput, withUploads } from '../../file/file.service.ts';
import { visibleTo } from '../read/visible.service.ts';
import { changeDataset, writeRevised } from '../write/write.service.ts';
import { inputOf } from './revise.input.ts';
import { filtered, indexOf, Misfit, merged, mergedAt, type PathValue, patternsOf, unmatched } from './revise.rules.ts';

type Maybe<T> = T | null | undefined;
type Dict = Readonly<Record<string, unknown>>;
export interface ReviseInput {
  readonly match?: unknown;
  readonly matchAt?: Maybe<readonly PathValue[]>;
  readonly filter?: Maybe<readonly string[]>;
  readonly update?: unknown;
  readonly updateAt?: Maybe<readonly PathValue[]>;
  readonly uploads?: Maybe<readonly { readonly resource: string; readonly upload: UploadInput }[]>;
  readonly include?: Maybe<readonly string[]>;
  readonly expectedVersion?: Maybe<number>;
  readonly message?: Maybe<string>;
}

/** The changed dataset and the requested parts of its document. */
export interface RevisedRecord {
  readonly dataset: DatasetRecord;
  readonly document: JsonText;
}

/** @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT (it differs from `match`), VALIDATION */
export function datasetRevise(call: Call, input: ReviseInput): Promise<RevisedRecord> {
  const match = dictOf('match', input.match);
  const matchAt = input.matchAt ?? [];
  const update = dictOf('update', input.update);
  const include = inField('include', () => patternsOf(input.include ?? []));
  const idOrName = named(match, matchAt);
  const uploads = input.uploads ?? [];
  return withUploads(
    call,
    uploads.map(({ upload }) => upload),
    (files) =>
      changeDataset(call, idOrName, input.expectedVersion ?? null, async (call, existing) => {
        const before = await visibleTo(call, projectDataset(existing, call.settings['catalog.site_url']));
        checkMatch(unmatched(before, match, matchAt));
        const after = revised(before, input.filter ?? [], update, input.updateAt ?? []);
        const { input: patch, problems } = inputOf(before, after, files.length > 0);
        if (problems.length > 0) throw invalid(problems);
        const filesByIndex = new Map(
          uploads.map(({ resource }, index) => [uploadIndexOf(after, resource), files[index] as NewFile]),
        );
        const dataset = await writeRevised(call, existing, { ...patch, message: input.message }, filesByIndex);
        const shown = filtered(await visibleTo(call, dataset.body), include);
        return { dataset, document: new JsonText(JSON.stringify(shown)) };
      }),
  );
}

function dictOf(field: string, value: unknown): Dict {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Dict;
  throw invalidField(field, 'Must be a dictionary');
}

/** Id or name of the dataset. */
function named(match: Dict, matchAt: readonly PathValue[]): string {
  const at = (key: string) => match[key] ?? matchAt.find(({ path }) => path === key)?.value;
  const idOrName = at('id') ?? at('name');
  if (typeof idOrName === 'string' || typeof idOrName === 'number') return String(idOrName);
  throw invalidField('match', 'The id or name of the dataset is required');
}

function checkMatch(paths: readonly string[]): void {
  if (paths.length === 0) return;
  throw conflict(
    `The dataset does not match: ${paths.join(', ')}. Read it again and retry.`,
    paths.map((path) => ({ path: ['match'], message: path })),
  );
}

/** The document after the revision. New items come first, so that others can be put into them. The id stays even if a filter removes it. */
function revised(before: DatasetBody, filter: readonly string[], update: Dict, updateAt: readonly PathValue[]): Dict {
  const left = inField('filter', () => filtered(before, patternsOf(filter))) as Dict;
  let after: unknown = { ...left, id: before.id };
  after = inField('update', () => merged(after, update));
  const extendsList = ({ path }: PathValue) => Number(!path.endsWith('__extend'));
  for (const { path, value } of [...updateAt].sort((a, b) => extendsList(a) - extendsList(b)))
    after = inField(`update__${path}`, () => mergedAt(after, path, value));
  return after as Dict;
}

function uploadIndexOf({ resources }: Dict, step: string): number {
  return inField(`update__resources__${step}__upload`, () => indexOf(Array.isArray(resources) ? resources : [], step));
}

/** Reports a misfit as a problem of the field. */
function inField<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof Misfit)) throw thrown;
    const problem: Problem = { path: [field], message: thrown.message };
    throw invalid([problem]);
  }
}
