import { describe, expect, it } from '@jest/globals';
import { mayUseOptions } from '../../../../src/catalog/site/option.policy.ts';
import { checkOptions } from '../../../../src/catalog/site/option.rules.ts';
import { mayWriteTasks } from '../../../../src/catalog/task/task.policy.ts';
import { checkTask, checkTaskKey } from '../../../../src/catalog/task/task.rules.ts';
import { type Actor, anonymous } from '../../../../src/kernel/call.ts';
import { settingsForTests } from '../../../../src/kernel/config.ts';

const user: Actor = { ...anonymous('test'), userId: 'u', name: 'jo' };

describe('policy', () => {
  it.each([mayWriteTasks, mayUseOptions])('%p allows only system administrators', (may) => {
    expect(may(anonymous('test'))).not.toBeNull();
    expect(may(user)).not.toBeNull();
    expect(may({ ...user, sysadmin: true })).toBeNull();
  });
});

it('requires the entity, type and key of a task status', () => {
  const task = { entityId: 'e', entityType: '', taskType: '', key: 'k' };
  expect(checkTask(task, ['statuses', 1]).map(({ path }) => path)).toEqual([
    ['statuses', 1, 'entityType'],
    ['statuses', 1, 'taskType'],
  ]);
  expect(checkTaskKey({ entityId: 'e' })).toEqual([{ path: ['taskType'], message: 'Missing value' }]);
  expect(checkTaskKey({ entityId: 'e', taskType: 't', key: 'k' })).toEqual([]);
});

it('checks options like settings', () => {
  const settings = settingsForTests({ 'catalog.site_url': 'http://a' });
  const wrong = (name: string, value: string | null) => checkOptions([{ name, value }], settings).length;
  expect(wrong('catalog.site_title', 'x')).toBe(0);
  expect(wrong('catalog.site_title', null)).toBe(0);
  expect(wrong('catalog.homepage_style', 'x')).toBe(1);
  expect(wrong('catalog.site_url', 'http://a')).toBe(0);
  expect(wrong('catalog.site_url', 'http://b')).toBe(1);
  expect(wrong('catalog.port', '1')).toBe(1);
});
