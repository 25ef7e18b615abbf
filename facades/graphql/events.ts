/**
 * GraphQL over server-sent events, compatible with graphql-sse in distinct connections mode: a `next` event per result, and `complete` at
 * the end. Clients resume a stream that ends without it.
 */
import type { ServerResponse } from 'node:http';
import type { FormattedExecutionResult } from 'graphql';
import type { GraphAnswer, GraphStream } from '../../src/graph/server.ts';
import type { EventStream, Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { toJsonText } from '../../src/kernel/json.ts';
import { sendEvents, sharedTexts } from '../shared/events.ts';

/** Line breaks end a field of an event. In JSON they can only be between values. */
const next = (result: unknown): string => `event: next\ndata: ${toJsonText(result).replace(/[\r\n]/g, ' ')}\n\n`;
const COMPLETE = 'event: complete\ndata:\n\n';

const nextTexts = sharedTexts<FormattedExecutionResult>(next);

async function* textsOf(stream: EventStream): AsyncGenerator<Buffer> {
  for await (const { results, skip } of stream) yield* nextTexts(results, skip);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** Whether a response belongs to this operation. Errors of the whole request (429 and above) are temporary, so clients retry them. */
export const isResult = (answer: GraphAnswer): boolean => answer.status < 429;

/** Sends results until the end, or until the reader disconnects. Never throws. */
export function sendResults(
  res: ServerResponse,
  answer: GraphAnswer | GraphStream,
  formatted: Subscriptions['formatted'],
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  if (!('stream' in answer))
    return sendEvents(res, {
      texts: once(next(answer.result) + COMPLETE),
      beat,
      stop: () => {},
      end: () => '',
      headers,
    });
  return sendEvents(res, {
    texts: textsOf(answer.stream),
    beat,
    stop: answer.stream.stop,
    end: (failure) => {
      const error = formatted(failure);
      return error.extensions?.code === 'UNAVAILABLE' ? '' : next({ errors: [error] }) + COMPLETE;
    },
    headers,
  });
}

/** A comment, which readers skip. */
const beat = () => ':\n\n';
