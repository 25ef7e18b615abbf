/** PostgreSQL notifications: every listener is called, and requests during a notification are merged. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listen } from '../../src/infra/postgres/listen.ts';
import { createEmptyDatabase, type TestDatabase } from '../helpers/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.end());

it('merges notifications requested while another is being sent', async () => {
  const heard: string[] = [];
  let done = () => {};
  const isDone = new Promise<void>((resolve) => (done = resolve));
  const fail = (failure: unknown) => expect(failure).toBeUndefined();
  const listening = await listen(
    database.url,
    {
      one: async () => void heard.push('one'),
      two: async () => {
        heard.push('two');
        if (heard.filter((name) => name === 'two').length === 2) done();
      },
    },
    fail,
  );
  expect(heard).toEqual(['one', 'two']); // for changes before the start
  const speaking = await listen(database.url, {}, fail);
  for (let times = 0; times < 100; times += 1) speaking.notify('one');
  speaking.notify('two');
  await isDone;
  expect(heard).toEqual(['one', 'two', 'one', 'one', 'two']);
  await speaking.stop();
  await listening.stop();
});
