import { expect, it } from '@jest/globals';
import { mayManageJobs } from '../../../src/jobs/job.policy.ts';
import { failureText, isWorthRetrying, pauseAfter } from '../../../src/jobs/job.rules.ts';
import { type Actor, anonymous, type Capacity } from '../../../src/kernel/call.ts';
import { settingsForTests } from '../../../src/kernel/config.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';

const settings = settingsForTests();
const dataset = { id: 'd', state: 'active', private: false, ownerOrganizationId: 'office', creatorId: null };
const somebody = (capacity?: Capacity): Actor => ({
  ...anonymous('192.0.2.1'),
  userId: 'u',
  name: 'u',
  capacities: new Map(capacity ? [['office', capacity]] : []),
});

it('lets users who may change a dataset manage its jobs, and only sysadmins jobs without a dataset', () => {
  const boss = { ...somebody(), sysadmin: true };
  const may = (actor: Actor) => [dataset, null].map((of) => mayManageJobs(actor, of, settings) === null);
  expect(may(boss)).toEqual([true, true]);
  expect(may(somebody('admin'))).toEqual([true, false]);
  expect(may(somebody('editor'))).toEqual([true, false]);
  expect(may(somebody('member'))).toEqual([false, false]);
  expect(may(somebody())).toEqual([false, false]);
  expect(may(anonymous('192.0.2.1'))).toEqual([false, false]);
});

it('pauses grow up to an hour', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 100].map(pauseAfter)).toEqual([5, 5, 25, 125, 625, 3_125, 3_600, 3_600]);
});

it('retries temporary refusals and defects, and hides the messages of defects', () => {
  expect(isWorthRetrying(new CatalogError('VALIDATION', 'x'))).toBe(false);
  expect(isWorthRetrying(new CatalogError('UNAVAILABLE', 'x'))).toBe(true);
  expect(isWorthRetrying(new Error('x'))).toBe(true);
  expect(failureText(new Error('at /home/x'))).not.toContain('/home');
  expect(failureText(new CatalogError('NOT_FOUND', 'Gone'))).toBe('Not found: Gone');
  expect(failureText(new CatalogError('VALIDATION', '', [{ path: ['rows', 3], message: 'Too long' }]))).toBe(
    'rows: 3: Too long',
  );
});
