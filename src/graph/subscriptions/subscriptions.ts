/**
 * Subscriptions, whichever way their events go out. An operation is run once per event for all who are told the same and ask the same,
 * so a thousand subscribers of one document cost little more than one. Knows neither HTTP nor WebSocket.
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
import type { Actor, Call } from '../../kernel/call.ts';
import { CatalogError, notAuthorized } from '../../kernel/errors.ts';
import type { EventBlock, EventPart } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { Admitted, Gate } from '../admission/admission.ts';
import { LOOKED_THROUGH } from '../admission/cost.ts';
import type { Variables } from '../admission/list-size.ts';
import { contextOf } from '../context.ts';
import type { Documents, OpenDocument } from '../execution/documents.ts';
import { createFormatError } from '../format-error.ts';
import { createKeptResults, type Results } from './shared-results.ts';

interface Asking {
  readonly operationName?: string | null | undefined;
  readonly variables?: Variables | null | undefined;
  readonly call: Call;
  /** Who is asking, asked again: the stream ends when it is somebody else, or somebody with other rights. */
  readonly again: () => Call | Promise<Call>;
}

/** By one of our own documents. */
export interface Subscribing extends Asking {
  readonly query: string;
}

/** By a document that was let in. */
export interface Starting extends Asking {
  readonly opened: OpenDocument;
  readonly admitted: Admitted;
  /** What the log and masked errors call the request. */
  readonly requestId: string;
}

/** Results for one part of a stream: those from `skip` on are news. The list is the same object for all who get it. */
export interface Events {
  readonly results: Results;
  readonly skip: number;
  /** To go on behind these; null where more is to come that was found together with them. */
  readonly cursor: string | null;
}

/** Events until `stop`, or an error that says why the stream ends. */
export interface EventStream extends AsyncIterable<Events> {
  stop(): void;
}

/** A stream; or what is wrong with the operation. */
export type Subscribed =
  | { readonly stream: EventStream; readonly errors?: undefined }
  | { readonly errors: NonNullable<FormattedExecutionResult['errors']> };

export interface Subscriptions {
  /** Never throws. */
  subscribe(asked: Subscribing): Promise<Subscribed>;
  /** Never throws. */
  start(asked: Starting): Promise<Subscribed>;
  /** What a failure of a stream is to its caller. */
  formatted(failure: unknown, requestId?: string): NonNullable<FormattedExecutionResult['errors']>[number];
}

/** ms between two looks whether a caller is still who it was. */
const LOOK_AGAIN = 10_000;
/** ms between two looks whether a caller can pay for what comes next. */
const PAY_AGAIN = 1_000;
/** Cost of the results that are kept, some 50 bytes each. */
const KEPT = 1_000_000;
/** Cost of the results that are made, and held for a slow reader, at a time. */
const AT_ONCE = 10_000;

export interface SubscriptionOptions {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly gate: Gate;
  readonly log: Logger;
}

export function createSubscriptions({ schema, documents, gate, log }: SubscriptionOptions): Subscriptions {
  const format = createFormatError(log);
  const resultsOf = createKeptResults(KEPT);

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
          'The document does not contain the subscription, or contains several without an operationName',
        );
      return await start({ ...asked, opened, admitted, requestId: newId() });
    } catch (failure) {
      return { errors: [formatted(failure)] };
    }
  }

  async function start(asked: Starting): Promise<Subscribed> {
    const { call, again, opened, admitted, requestId, operationName = null } = asked;
    const given = asked.variables ?? {};
    const plain = ({ errors, ...rest }: ExecutionResult): FormattedExecutionResult =>
      errors ? { ...rest, errors: errors.map((error) => formatted(error, requestId)) } : rest;
    const stopping = new AbortController();
    const gone = call.gone ? AbortSignal.any([call.gone, stopping.signal]) : stopping.signal;
    try {
      call.charge?.(admitted.amount.cost);
      const { document } = opened;
      const asking = { schema, document, operationName, variableValues: given };
      const source = await createSourceEventStream({
        ...asking,
        contextValue: contextOf({ ...call, gone }, 'payload'),
      });
      if (!(Symbol.asyncIterator in source)) return { errors: plain(source).errors! };
      const choosing = choosingOf(document, operationName);
      const rest = Object.entries(given).filter(([name]) => !choosing.has(name));
      const key = `${admitted.key} ${JSON.stringify(rest.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
      const cost = Math.max(1, admitted.amount.cost - admitted.plan.measured.beginning);
      const run = (event: object, context: unknown) =>
        Promise.resolve(execute({ ...asking, rootValue: event, contextValue: context })).then(plain);
      const events = eventsOf({
        source: source as AsyncIterable<EventPart>,
        actor: call.actor,
        again,
        isCredentialValid: call.isCredentialValid,
        stopping,
        gone,
        pay: call.charge,
        cost,
        resultsFor: (block, from, to) =>
          resultsOf({
            block,
            key: `${from} ${key}`,
            cost: cost * (to - from),
            run: () => {
              const context = contextOf({ ...call, now: new Date() }, 'payload');
              return Promise.all(block.events.slice(from, to).map((event) => run(event, context)));
            },
          }),
      });
      return { stream: { [Symbol.asyncIterator]: () => events, stop: () => stopping.abort() } };
    } catch (failure) {
      stopping.abort();
      return { errors: [formatted(failure, requestId)] };
    }
  }

  return { subscribe, start, formatted };
}

interface Following {
  readonly source: AsyncIterable<EventPart>;
  readonly actor: Actor;
  readonly again: () => Call | Promise<Call>;
  readonly isCredentialValid: Call['isCredentialValid'];
  readonly stopping: AbortController;
  readonly gone: AbortSignal;
  readonly pay: Call['charge'];
  /** Of one event. */
  readonly cost: number;
  readonly resultsFor: (block: EventBlock, from: number, to: number) => Promise<Results>;
}

async function* eventsOf(following: Following): AsyncGenerator<Events> {
  const { source, actor, again, isCredentialValid, stopping, gone, pay, cost, resultsFor } = following;
  /** The same for all who ask the same, so that they share results. */
  const step = Math.max(1, Math.floor(AT_ONCE / cost));
  let refusal: CatalogError | null = null;
  /** Ends the stream when the caller is not who it was. */
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
        if (isCredentialValid) await endUnless(isCredentialValid); // for all that is told: what was revoked may be in wrong hands
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

/** Takes a cost from what the caller may spend, as soon as it is there: a stream goes at the pace of its caller's means. */
async function paid(charge: Call['charge'], cost: number, gone: AbortSignal): Promise<void> {
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

/** Variables used only as arguments of the field that is subscribed to: they choose the events, and a block is what was chosen. */
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
