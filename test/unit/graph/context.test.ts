import { expect, it } from '@jest/globals';
import { contextOf } from '../../../src/graph/context.ts';
import type { Call } from '../../../src/kernel/call.ts';

const call = { request: { now: new Date() } } as Call;
const LIMIT = 64 * 1024 * 1024;

it('an operation of a client has at most 64 MiB of table records, those of a facade what its fields allow', () => {
  const context = contextOf(call, 'client');
  const { spend } = context.call.request;
  spend?.(LIMIT - 1);
  spend?.(1);
  expect(() => spend?.(1)).toThrow(`${LIMIT} bytes`);
  expect(() => context.with(call).call.request.spend?.(LIMIT)).not.toThrow(); // another run of the operation
  expect(contextOf(call, 'facade').call.request.spend).toBeUndefined();
});
