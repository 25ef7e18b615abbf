/** Names of operations that requests run, for the log and the record of slow requests. */
import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { noteOperation, operationOf } from '../../../facades/shared/operation.ts';

it('shortens names of operations', () => {
  const req = {} as IncomingMessage;
  noteOperation(req, 'x'.repeat(10_000));
  expect(operationOf(req)).toHaveLength(100);
});
