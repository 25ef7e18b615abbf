/** Permission to read the state of the servers. */
import { expect, it } from '@jest/globals';
import { anonymous } from '../../../src/kernel/call.ts';
import { mayReadOperations } from '../../../src/operations/operations.policy.ts';

it('lets only system administrators read operations', () => {
  const visitor = anonymous('test');
  expect(mayReadOperations(visitor)?.kind).toBe('NOT_AUTHORIZED');
  expect(mayReadOperations({ ...visitor, userId: 'u', capacities: new Map([['o', 'admin']]) })?.kind).toBe(
    'NOT_AUTHORIZED',
  );
  expect(mayReadOperations({ ...visitor, userId: 'u', sysadmin: true })).toBeNull();
});
