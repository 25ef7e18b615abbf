/**
 * Subscriptions, whichever way their events go out. An operation is run once per event for all who are told the same and ask the same,
 * so a thousand subscribers of one document cost little more than one. Knows neither HTTP nor WebSocket.
 */
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
import type { Actor, Call } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import { CatalogError, notAuthorized } from '../kernel/errors.ts';
import type { EventBlock, EventPart } from '../kernel/events.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import { contextOf } from './context.ts';
import { createDocuments, InvalidDocument } from './documents.ts';
import { createFormatError } from './format-error.ts';
import { createGate } from './gate.ts';
import { createKeptResults, type Results } from './kept-results.ts';
import type { Variables } from './list-size.ts';

export interface Subscribing {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Variables | null | undefined;
  readonly call: Call;
  /** Who is asking, asked again: the stream ends when it is somebody else, or somebody with other rights. */
  readonly again: () => Call | Promise<Call>;
}

/** Results for one part of a stream: those from `skip` on are news. The list is the same object for all who get it. */
export interface Events {
  readonly results: Results;
  readonly skip: number;
  /** To go on behind these. */
  readonly cursor: string;
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
  subscribe(asked: Subscribing): Promise<Subscribed>;
  /** What a failure of a stream is to its caller. */
  formatted(failure: unknown): NonNullable<FormattedExecutionResult['errors']>[number];
}

/** ms between two looks whether a caller is still who it was. */
const LOOK_AGAIN = 10_000;
/** Cost of the results that are kept, some 50 bytes each. */
const KEPT = 1_000_000;

export function createSubscriptions({
  schema,
  settings,
  log,
}: {
  readonly schema: GraphQLSchema;
  readonly settings: Settings;
  readonly log: Logger;
}): Subscriptions {
  const format = createFormatError(log);
  const documents = createDocuments(schema);
  const gate = createGate(schema, settings);
  const resultsOf = createKeptResults(KEPT);

  const formatted = (failure: unknown) => {
    const error =
      failure instanceof GraphQLError
        ? failure
        : new GraphQLError(failure instanceof Error ? failure.message : String(failure), {
            originalError: failure as Error,
            path: [],
          });
    return format(error.toJSON(), error, newId());
  };
  const plain = ({ errors, ...rest }: ExecutionResult): FormattedExecutionResult =>
    errors ? { ...rest, errors: errors.map(formatted) } : rest;

  async function subscribe({ query, operationName, variables, call, again }: Subscribing): Promise<Subscribed> {
    const given = variables ?? {};
    const stopping = new AbortController();
    const gone = call.gone ? AbortSignal.any([call.gone, stopping.signal]) : stopping.signal;
    try {
      const opened = documents.open(query);
      const admitted = gate.admit(opened, operationName ?? null, given);
      if (admitted?.kind !== 'subscription')
        throw new CatalogError('VALIDATION', 'The document has no such subscription, or several and none is named');
      call.charge?.(admitted.amount.cost);
      const { document } = opened;
      const asking = { schema, document, operationName: operationName ?? null, variableValues: given };
      const source = await createSourceEventStream({
        ...asking,
        contextValue: contextOf({ ...call, gone }, 'payload'),
      });
      if (!(Symbol.asyncIterator in source)) return { errors: plain(source).errors! };
      const choosing = choosingOf(document, operationName ?? null);
      const rest = Object.entries(given).filter(([name]) => !choosing.has(name));
      const key = `${admitted.key} ${JSON.stringify(rest.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
      const run = (event: object, context: unknown) =>
        Promise.resolve(execute({ ...asking, rootValue: event, contextValue: context })).then(plain);
      const contextNow = () => contextOf({ ...call, now: new Date() }, 'payload');
      const events = eventsOf(source as AsyncIterable<EventPart>, call.actor, again, stopping, (block) =>
        resultsOf({
          block,
          key,
          cost: admitted.amount.cost,
          run: () => {
            const context = contextNow();
            return Promise.all(block.events.map((event) => run(event, context)));
          },
        }),
      );
      return {
        stream: { [Symbol.asyncIterator]: () => events, stop: () => stopping.abort() },
      };
    } catch (failure) {
      stopping.abort();
      return { errors: failure instanceof InvalidDocument ? failure.errors.map(formatted) : [formatted(failure)] };
    }
  }

  return { subscribe, formatted };
}

async function* eventsOf(
  source: AsyncIterable<EventPart>,
  actor: Actor,
  again: () => Call | Promise<Call>,
  stopping: AbortController,
  resultsFor: (block: EventBlock) => Promise<Results>,
): AsyncGenerator<Events> {
  let refusal: CatalogError | null = null;
  /** Ends the stream when the caller is not who it was. */
  async function look(): Promise<void> {
    try {
      if (isSame((await again()).actor, actor)) return;
      refusal = notAuthorized(
        'your account, token or memberships have changed. Connect again, with `after` set to the last cursor',
      );
    } catch (failure) {
      refusal = failure instanceof CatalogError ? failure : new CatalogError('UNAVAILABLE', 'Try again in a while.');
    }
    stopping.abort();
  }
  const isKnown = actor.userId !== null;
  const timer = isKnown ? setInterval(() => void look(), LOOK_AGAIN).unref() : undefined;
  try {
    for await (const { block, skip, cursor } of source) {
      if (isKnown && block.touchesRights) await look();
      if (refusal) break;
      const found = await resultsFor(block);
      if (refusal) break;
      yield { results: found, skip, cursor };
    }
    if (refusal) throw refusal;
  } finally {
    clearInterval(timer);
    stopping.abort();
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
