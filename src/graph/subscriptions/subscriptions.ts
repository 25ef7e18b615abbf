/**
 * Subscriptions, independent of HTTP and WebSocket. An operation runs once per event for all subscribers with the same view and the
 * same operation. A thousand subscribers of one document therefore cost little more than one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  visit,
} from 'graphql';
import type { Logger } from '../../infra/log/log.ts';
import { type Actor, type Call, withRequest } from '../../kernel/call.ts';
import { CatalogError, notAuthorized } from '../../kernel/errors.ts';
import type { EventBlock, EventPart } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { Admitted, Gate } from '../admission/admission.ts';
import { LOOKED_THROUGH } from '../admission/cost.ts';
import type { Variables } from '../admission/list-size.ts';
import { withRecordsBudget } from '../admission/records.ts';
import { contextOf } from '../context.ts';
import type { Documents, OpenDocument } from '../execution/documents.ts';
import { createFormatError } from '../format-error.ts';
import { createSharedResults, type Results } from './shared-results.ts';

interface Asking {
  readonly operationName?: string | null | undefined;
  readonly variables?: Variables | null | undefined;
  readonly call: Call;
  /** Authenticates the caller again. The stream ends when the caller or their rights have changed. */
  readonly again: () => Call | Promise<Call>;
}

/** A subscription whose document is still to be parsed and admitted. */
export interface Subscribing extends Asking {
  readonly query: string;
}

/** A subscription with an admitted document. */
export interface Starting extends Asking {
  readonly opened: OpenDocument;
  readonly admitted: Admitted;
  /** The request id in the log and in masked errors. */
  readonly requestId: string;
}

/** Results for one part of a stream. Those from `skip` are new to the reader. Readers share the list object. */
export interface Events {
  readonly results: Results;
  readonly skip: number;
  /** The cursor after these events. Null when more events of the same block follow. */
  readonly cursor: string | null;
}

/** Events until `stop`. Throws an error with the reason when the server ends the stream. */
export interface EventStream extends AsyncIterable<Events> {
  stop(): void;
}

/** A stream, or the errors of the operation. */
export type Subscribed =
  | { readonly stream: EventStream; readonly errors?: undefined }
  | { readonly errors: NonNullable<FormattedExecutionResult['errors']> };

export interface Subscriptions {
  /** Never throws. */
  subscribe(asked: Subscribing): Promise<Subscribed>;
  /** Never throws. */
  start(asked: Starting): Promise<Subscribed>;
  /** The error of a stream, formatted for the caller. */
  formatted(failure: unknown, requestId?: string): NonNullable<FormattedExecutionResult['errors']>[number];
}

/** ms between checks of the caller's identity and rights. */
const LOOK_AGAIN = 10_000;
/** ms between attempts to charge the caller for the next events. */
const PAY_AGAIN = 1_000;
/** Maximum cost of cached results. A unit of cost is about 50 bytes. */
const MAX_SHARED = 1_000_000;
/** Maximum cost of results computed at once, and buffered for a slow reader. */
const AT_ONCE = 10_000;

export interface SubscriptionOptions {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly gate: Gate;
  readonly log: Logger;
}

export function createSubscriptions({ schema, documents, gate, log }: SubscriptionOptions): Subscriptions {
  const format = createFormatError(log);
  const resultsOf = createSharedResults(MAX_SHARED);

  const formatted: Subscriptions['formatted'] = (failure, requestId = newId()) => {
    const error =
      failure instanceof GraphQLError
        ? failure
        : new GraphQLError(failure instanceof Error ? failure.message : String(failure), {
            originalError: failure as Error,
            path: [],
          });
    return format(error.toJSON(), error, requestId);
  };

  async function subscribe({ query, ...asked }: Subscribing): Promise<Subscribed> {
    try {
      const opened = documents.open(query);
      const admitted = gate.admit(opened, asked.operationName ?? null, asked.variables ?? {});
      if (admitted?.kind !== 'subscription')
        throw new CatalogError(
          'VALIDATION',
          'The document has no subscription of this name, or several operations and no `operationName`',
        );
      return await start({ ...asked, opened, admitted, requestId: newId() });
    } catch (failure) {
      return { errors: [formatted(failure)] };
    }
  }

  async function start(asked: Starting): Promise<Subscribed> {
    const { call, requestId } = asked;
    const plain = ({ errors, ...rest }: ExecutionResult): FormattedExecutionResult =>
      errors ? { ...rest, errors: errors.map((error) => formatted(error, requestId)) } : rest;
    const stopping = new AbortController();
    const gone = call.request.gone ? AbortSignal.any([call.request.gone, stopping.signal]) : stopping.signal;
    try {
      call.request.charge?.(asked.admitted.amount.cost);
      const source = await createSourceEventStream({
        ...executionOf(schema, asked),
        contextValue: contextOf(withRequest(call, { gone }), 'client'),
      });
      if (!(Symbol.asyncIterator in source)) return { errors: plain(source).errors! };
      const events = eventsOf({
        source: source as AsyncIterable<EventPart>,
        actor: call.actor,
        again: asked.again,
        isCredentialValid: call.request.isCredentialValid,
        stopping,
        gone,
        pay: call.request.charge,
        ...runsOf(schema, asked, plain, resultsOf),
      });
      return { stream: { [Symbol.asyncIterator]: () => events, stop: () => stopping.abort() } };
    } catch (failure) {
      stopping.abort();
      return { errors: [formatted(failure, requestId)] };
    }
  }

  return { subscribe, start, formatted };
}

const executionOf = (schema: GraphQLSchema, { opened, operationName = null, variables }: Starting) => ({
  schema,
  document: opened.document,
  operationName,
  variableValues: variables ?? {},
});

/** The cost of one event, and its results, which equal operations share. */
function runsOf(
  schema: GraphQLSchema,
  asked: Starting,
  plain: (result: ExecutionResult) => FormattedExecutionResult,
  resultsOf: ReturnType<typeof createSharedResults>,
): Pick<Following, 'cost' | 'resultsFor'> {
  const { call, admitted } = asked;
  const execution = executionOf(schema, asked);
  const choosing = choosingOf(execution.document, execution.operationName);
  const rest = Object.entries(execution.variableValues).filter(([name]) => !choosing.has(name));
  const key = `${admitted.key} ${JSON.stringify(rest.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
  const cost = Math.max(1, admitted.amount.cost - admitted.plan.measured.beginning);
  const run = async (rootValue: object, contextValue: unknown) =>
    plain(await execute({ ...execution, rootValue, contextValue }));
  return {
    cost,
    resultsFor: (block, from, to) =>
      resultsOf({
        block,
        key: `${from} ${key}`,
        cost: cost * (to - from),
        run: () => {
          const context = contextOf(withRecordsBudget(withRequest(call, { now: new Date() })), 'client');
          return Promise.all(block.events.slice(from, to).map((event) => run(event, context)));
        },
      }),
  };
}

interface Following {
  readonly source: AsyncIterable<EventPart>;
  readonly actor: Actor;
  readonly again: () => Call | Promise<Call>;
  readonly isCredentialValid: Call['request']['isCredentialValid'];
  readonly stopping: AbortController;
  readonly gone: AbortSignal;
  readonly pay: Call['request']['charge'];
  /** The cost of one event. */
  readonly cost: number;
  readonly resultsFor: (block: EventBlock, from: number, to: number) => Promise<Results>;
}

async function* eventsOf(following: Following): AsyncGenerator<Events> {
  const { source, actor, again, isCredentialValid, stopping, gone, pay, cost, resultsFor } = following;
  /** Number of events per run. Equal for equal operations, so that they share results. */
  const step = Math.max(1, Math.floor(AT_ONCE / cost));
  let refusal: CatalogError | null = null;
  /** Ends the stream when the caller's identity or rights have changed. */
  const look = () => endUnless(async () => isSame((await again()).actor, actor));
  async function endUnless(isWhoItWas: () => Promise<boolean>): Promise<void> {
    try {
      if (await isWhoItWas()) return;
      refusal = notAuthorized(
        'your account, token or memberships have changed. Connect again, with `after` set to the last cursor',
      );
    } catch (failure) {
      refusal = failure instanceof CatalogError ? failure : new CatalogError('UNAVAILABLE', 'Try again later.');
    }
    stopping.abort();
  }
  const isKnown = actor.userId !== null;
  const timer = isKnown ? setInterval(() => void look(), LOOK_AGAIN).unref() : undefined;
  try {
    for await (const { block, skip, looked, cursor } of source) {
      if (isKnown && block.touchesRights) await look();
      const { length } = block.events;
      await paid(pay, looked * LOOKED_THROUGH, gone);
      for (let from = skip - (skip % step); skip < length && from < length && !refusal && !gone.aborted; from += step) {
        const to = Math.min(length, from + step);
        const news = Math.max(0, skip - from);
        await paid(pay, cost * (to - from - news), gone);
        const results = await resultsFor(block, from, to);
        if (isCredentialValid) await endUnless(isCredentialValid); // before each delivery: a revoked credential may be stolen
        if (!refusal) yield { results, skip: news, cursor: to < length ? null : cursor };
      }
      if (refusal) break;
      if (skip === length) yield { results: [], skip: 0, cursor };
    }
    if (refusal) throw refusal;
  } finally {
    clearInterval(timer);
    stopping.abort();
  }
}

/** Charges the caller, and waits while they are over their rate limit. This slows the stream down to the caller's rate. */
async function paid(charge: Call['request']['charge'], cost: number, gone: AbortSignal): Promise<void> {
  while (charge && !gone.aborted) {
    try {
      return charge(cost);
    } catch (failure) {
      if (!(failure instanceof CatalogError && failure.kind === 'RATE_LIMIT')) throw failure;
      await sleep(PAY_AGAIN, undefined, { signal: gone }).catch(() => {});
    }
  }
}

function isSame(a: Actor, b: Actor): boolean {
  const rights = ({ userId, sysadmin, limitedTo, capacities }: Actor) =>
    JSON.stringify([userId, sysadmin, limitedTo, [...capacities].sort()]);
  return rights(a) === rights(b);
}

/** Variables used only as arguments of the subscribed field. They select the events, so results of a block do not depend on them. */
function choosingOf(document: DocumentNode, name: string | null): ReadonlySet<string> {
  const found = new Set<string>();
  const others = new Set<string>();
  const choices = new Set(
    getOperationAST(document, name)!.selectionSet.selections.flatMap((node) =>
      node.kind === Kind.FIELD
        ? (node.arguments ?? []).flatMap(({ value }) => (value.kind === Kind.VARIABLE ? [value] : []))
        : [],
    ),
  );
  visit(document, {
    [Kind.VARIABLE_DEFINITION]: () => false,
    [Kind.VARIABLE]: (node) => void (choices.has(node) ? found : others).add(node.name.value),
  });
  return new Set([...found].filter((name) => !others.has(name)));
}
