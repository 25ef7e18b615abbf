/** Resources: each belongs to one dataset. Reads use the dataset's policy, writes go through the dataset. */
import type { Call } from '../../kernel/call.ts';
import { position } from '../../kernel/connection.ts';
import {
  CatalogError,
  invalidField,
  limitAt,
  notAllowedTo,
  notAuthorized,
  notFound,
  type Problem,
} from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inOrder } from '../../kernel/node.ts';
import { momentAfter, wireTime } from '../../kernel/time.ts';
import { mayReadDataset } from '../dataset/dataset.policy.ts';
import { datasetsByIds } from '../dataset/dataset.service.ts';
import type { ResourceInput } from '../dataset/write/input.ts';
import { draftResource, type ResourceDraft } from '../dataset/write/resource.draft.ts';
import { changeDataset, writeDatasetResources } from '../dataset/write/write.service.ts';
import type { DatasetParts } from '../document/project.ts';
import type { DatasetRecord, ResourceRecord } from '../document/record.ts';
import { keepFile, type NewFile, type UploadInput, withUpload } from '../file/file.service.ts';
import { orderOf, parseTerms } from './resource.rules.ts';
import { findResourceDataset, searchResources } from './resource.sql.ts';
import { listResourceOwners } from './resource.store.ts';

/** One resource. `onDataset` gets its dataset, which the caller may read. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function resourceShow(
  call: Call,
  id: string,
  onDataset: (dataset: DatasetRecord) => void = () => {},
): Promise<ResourceRecord> {
  const dataset = await findResourceDataset(call.sql, id);
  if (!dataset) throw notFound();
  const reason = mayReadDataset(call.actor, dataset, call.settings);
  if (reason !== null) throw notAuthorized(notAllowedTo(call.actor, `read resource ${id}`));
  onDataset(dataset);
  return dataset.resourceById(id)!;
}

/** Resources in the order of the ids; null for a missing one or one whose dataset the caller may not read. */
export async function resourceNodes(call: Call, ids: readonly string[]): Promise<(ResourceRecord | null)[]> {
  const owners = await listResourceOwners(call.db, ids);
  const datasets = await datasetsByIds(call, [...new Set(owners.map(({ datasetId }) => datasetId))]);
  const resources = datasets.flatMap((dataset) => dataset?.resources ?? []);
  return inOrder(ids, resources, (resource) => resource.id);
}

/**
 * Adds a resource at the end; an existing id of the same dataset moves there. @throws CatalogError NOT_FOUND,
 * NOT_AUTHORIZED, VALIDATION
 */
export function resourceCreate(call: Call, { dataset, resource, upload }: CreateResource): Promise<ResourceRecord> {
  return withUpload(call, upload, (file) =>
    named(
      changeDataset(call, dataset, null, async (call, existing) => {
        const stored = existing.resources.find(({ id }) => id === resource.databaseId);
        return writeOne(call, existing, {
          resource,
          stored,
          extras: 'replace',
          file,
          insert: (draft, others) => [...others, draft],
        });
      }),
      `create resources on dataset ${dataset}`,
      call,
    ),
  );
}

interface CreateResource {
  dataset: string;
  resource: ResourceInput;
  upload?: UploadInput | null;
}

/** Replaces a resource; omitted extras are dropped. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT */
export const resourceReplace = (call: Call, input: ChangeResource): Promise<ResourceRecord> =>
  changeResource(call, input, 'replace');

/** Changes only the fields in the input. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT */
export const resourcePatch = (call: Call, input: ChangeResource): Promise<ResourceRecord> =>
  changeResource(call, input, 'merge');

interface ChangeResource {
  resourceId: string;
  expectedVersion?: number | null;
  resource: ResourceInput;
  upload?: UploadInput | null;
  clearUpload?: boolean | null;
}

async function changeResource(call: Call, input: ChangeResource, extras: 'replace' | 'merge') {
  const { resourceId, expectedVersion, resource, upload, clearUpload } = input;
  const owner = await ownerOf(call, resourceId);
  return withUpload(call, upload, (file) =>
    named(
      changeDataset(call, owner, expectedVersion ?? null, async (call, existing) => {
        const index = existing.resources.findIndex(({ id }) => id === resourceId);
        if (index < 0) throw notFound();
        const insert: Insert = (draft, others) => others.toSpliced(index, 0, draft);
        return writeOne(call, existing, {
          resource,
          stored: existing.resources[index],
          extras,
          file,
          clear: clearUpload ?? false,
          insert,
        });
      }),
      `edit resource ${resourceId}`,
      call,
    ),
  );
}

/** Deletes a resource and returns its id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export async function resourceDelete(
  call: Call,
  { resourceId, expectedVersion = null }: { resourceId: string; expectedVersion?: number | null },
): Promise<string> {
  const owner = await ownerOf(call, resourceId);
  return named(
    changeDataset(call, owner, expectedVersion, async (call, existing) => {
      await writeDatasetResources(
        call,
        existing,
        existing.resources.filter(({ id }) => id !== resourceId),
        [],
      );
      return resourceId;
    }),
    `delete resource ${resourceId}`,
    call,
  );
}

/** Moves the listed resources to the front; the others follow. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT */
export function resourcesReorder(
  call: Call,
  {
    dataset,
    order,
    expectedVersion = null,
  }: { dataset: string; order: readonly string[]; expectedVersion?: number | null },
): Promise<DatasetRecord> {
  return changeDataset(call, dataset, expectedVersion, async (call, existing) => {
    const byId = new Map(existing.resources.map((resource) => [resource.id, resource]));
    const unknown = order.find((id) => !byId.has(id));
    if (new Set(order).size < order.length) throw invalidField('order', 'Must supply unique resource_ids');
    if (unknown !== undefined) throw invalidField('order', `resource_id ${unknown} can not be found`);
    const rest = existing.resources.filter(({ id }) => !order.includes(id));
    return writeDatasetResources(call, existing, [...order.map((id) => byId.get(id)!), ...rest], []);
  });
}

/** Limit of terms, because each is compared with every resource. */
const MAX_TERMS = 50;

/** Resources of public datasets that match every term. @throws CatalogError VALIDATION, LIMIT */
export async function resourceSearch(
  call: Call,
  input: { terms: readonly string[]; orderBy?: string | null; offset?: number | null; limit?: number | null },
) {
  if (input.terms.length > MAX_TERMS) throw limitAt('terms', `At most ${MAX_TERMS} terms (got ${input.terms.length})`);
  const extraFields = call.settings['catalog.extra_resource_fields'];
  const query = {
    terms: parseTerms(input.terms, extraFields),
    orderBy: orderOf(input.orderBy),
    ...position(input, call.settings['catalog.limits.rows']),
  };
  const { count, found } = await searchResources(call.sql, query, {
    seconds: call.settings['search.timeout'],
    setting: 'search.timeout',
  });
  const datasets = await datasetsByIds(call, [...new Set(found.map(({ datasetId }) => datasetId))]);
  const byId = new Map(
    datasets.flatMap((dataset) => dataset?.resources ?? []).map((resource) => [resource.id, resource]),
  );
  return { count, results: found.flatMap(({ id }) => byId.get(id) ?? []) };
}

async function ownerOf(call: Call, resourceId: string): Promise<string> {
  const dataset = await findResourceDataset(call.sql, resourceId);
  if (!dataset) throw notFound();
  return dataset.id;
}

type Insert = (draft: ResourceDraft, others: readonly ResourceDraft[]) => ResourceDraft[];

interface OneResource {
  readonly resource: ResourceInput;
  /** The row that is changed; undefined for a new one. */
  readonly stored: DatasetParts['resources'][number] | undefined;
  readonly extras: 'replace' | 'merge';
  readonly file: NewFile | null;
  readonly clear?: boolean;
  readonly insert: Insert;
}

async function writeOne(
  call: Call,
  existing: DatasetParts,
  { resource, stored, extras, file, clear = false, insert }: OneResource,
): Promise<ResourceRecord> {
  const problems: Problem[] = [];
  const isUrlOptional = call.settings['catalog.resources.url_optional'];
  const draft = draftResource(
    resource,
    {
      existing: stored,
      extras,
      newId,
      now: wireTime(momentAfter(call.request.now, existing.dataset.modifiedAt)),
      upload: file ?? undefined,
      clear,
      isUrlOptional,
    },
    [],
    problems,
  );
  const others = existing.resources.filter(({ id }) => id !== draft.id);
  const dataset = await writeDatasetResources(call, existing, insert(draft, others), problems);
  if (file) await keepFile(call, draft.id, file);
  return dataset.resourceById(draft.id)!;
}

/** Rephrases a refusal of the dataset's policy for the resource. */
async function named<T>(work: Promise<T>, what: string, call: Call): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof CatalogError && thrown.kind === 'NOT_AUTHORIZED')
      throw notAuthorized(notAllowedTo(call.actor, what));
    throw thrown;
  }
}
