/**
 * Operations over an event stream, as the package graphql-sse has it in its mode of distinct connections: an event `next` for each
 * result, and `complete` at the end. A stream that breaks off without it is taken up again by its client.
 */
import type { ServerResponse } from 'node:http';
import type { FormattedExecutionResult } from 'graphql';
import type { GraphAnswer, GraphStream } from '../../src/graph/server.ts';
import type { EventStream, Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { sendEvents, sharedTexts } from '../shared/events.ts';

const next = (result: unknown): string => `event: next\ndata: ${JSON.stringify(result)}\n\n`;
const COMPLETE = 'event: complete\ndata:\n\n';

const nextTexts = sharedTexts<FormattedExecutionResult>(next);

async function* textsOf(stream: EventStream): AsyncGenerator<Buffer> {
  for await (const { results, skip } of stream) yield* nextTexts(results, skip);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** Whether an answer is one to this operation, and not to the whole request: who is told to ask later asks again. */
export const isResult = (answer: GraphAnswer): boolean => answer.status < 429;

/** Sends results as they come, until there are no more or the reader is gone. Never throws. */
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
