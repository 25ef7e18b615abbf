/** Runs queries on a read replica, and again on the primary if a replica does not answer. Other operations run on the primary. */
import { type DocumentNode, type ExecutionResult, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql';
import { isUnavailable } from '../infra/postgres/failures.ts';
import type { Call } from '../kernel/call.ts';
import { CatalogError, type ErrorKind } from '../kernel/errors.ts';

/**
 * Fields of Query that replicas may answer: data of the catalog. Accounts, jobs, webhooks, the change log, harvests, statistics and
 * tables stay on the primary.
 */
const FIELDS: ReadonlySet<string> = new Set([
  'dataset',
  'datasets',
  'datasetIds',
  'datasetList',
  'datasetNames',
  'datasetRelationships',
  'datasetRevisions',
  'datasetSearch',
  'datasetSuggestions',
  'formatSuggestions',
  'group',
  'groupList',
  'groupOrOrganization',
  'groupRevisions',
  'groups',
  'groupSuggestions',
  'organization',
  'organizationList',
  'organizations',
  'organizationSuggestions',
  'relatedItem',
  'relatedItemList',
  'relatedItems',
  'resource',
  'resources',
  'resourceSearch',
  'resourceView',
  'revision',
  'revisionIds',
  'revisions',
  'search',
  'tag',
  'tagList',
  'tags',
  'termTranslationList',
  'termTranslations',
  'vocabularies',
  'vocabulary',
  'vocabularyList',
]);

/** Fields that may be beside them. Alone they need no statement, or a small one. */
const OTHERS: ReadonlySet<string> = new Set(['__typename', 'licenses', 'resourceViewTypes', 'site', 'viewer']);

/** Errors that do not depend on data. All others are those of the primary: an object may be missing on the replica only. */
const FINAL: ReadonlySet<ErrorKind> = new Set(['VALIDATION', 'LIMIT', 'SEARCH', 'RATE_LIMIT']);

type Result = Promise<ExecutionResult> | ExecutionResult;
type Work = (call: Call) => Result;

/** Runs `work` with a call that reads from a replica, if a replica may answer the operation. */
export function onReplica<R extends Result>(
  call: Call,
  document: DocumentNode,
  name: string | null,
  work: (call: Call) => R,
): R | Promise<ExecutionResult> {
  return call.process.replicas === null ? work(call) : choose(call, document, name, work);
}

async function choose(call: Call, document: DocumentNode, name: string | null, work: Work): Promise<ExecutionResult> {
  const { meter, replicas } = call.process;
  const operation = getOperationAST(document, name);
  if (operation?.operation === 'mutation') {
    try {
      return await work(call);
    } finally {
      replicas!.wrote();
    }
  }
  // Jobs and commands have no request.
  if (!operation || !call.request.origin || !isForReplicas(operation)) return work(call);
  // A user sees all that was acknowledged before, in any process.
  const maxAge = call.actor.userId === null ? call.settings['catalog.database_replica_max_age'] : 0;
  const sql = await replicas!.choose(maxAge);
  if (sql === null) {
    meter.add('catalog_replica_reads_total', ['primary']);
    return work(call);
  }
  const { uses } = call.request;
  const used = uses?.length ?? 0;
  const result = await work({ ...call, sql });
  const failures = (result.errors ?? [])
    .map(rootOf)
    .filter((it) => !(it instanceof CatalogError && FINAL.has(it.kind)));
  meter.add('catalog_replica_reads_total', [failures.length === 0 ? 'replica' : 'repeated']);
  if (failures.length === 0) return result;
  if (failures.some(isUnavailable)) replicas!.suspect(sql);
  uses?.splice(used);
  return work(call);
}

const known = new WeakMap<OperationDefinitionNode, boolean>();

function isForReplicas(operation: OperationDefinitionNode): boolean {
  let found = known.get(operation);
  if (found === undefined) {
    const names = operation.selectionSet.selections.map((it) => (it.kind === Kind.FIELD ? it.name.value : ''));
    found =
      operation.operation === 'query' &&
      names.some((name) => FIELDS.has(name)) &&
      names.every((name) => FIELDS.has(name) || OTHERS.has(name));
    known.set(operation, found);
  }
  return found;
}

/** The error that a resolver threw. */
function rootOf(error: unknown): unknown {
  let inner = error;
  while (inner instanceof Error && 'originalError' in inner && inner.originalError) inner = inner.originalError;
  return inner;
}
