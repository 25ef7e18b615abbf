/** Results that visitors share. The tests simulate commits by a new state of the database. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type ExecutionResult, parse } from 'graphql';
import { cachedResult } from '../../../src/graph/cached.sql.ts';
import type { Sql } from '../../../src/infra/postgres/db.ts';
import type { Call } from '../../../src/kernel/call.ts';

const document = parse('{ x }');
const VISITOR = { userId: null, sysadmin: false };

type Execute = (run: number) => Promise<ExecutionResult>;
const numbered: Execute = (run) => Promise.resolve({ data: { run } });

/** A process with an empty cache. `execute` gets the number of the execution. */
function createProcess(execute: Execute = numbered) {
  let runs = 0;
  let questions = 0;
  let state: string | null = 'state 1';
  let failure: Error | null = null;
  const sql: Sql = {
    async rows<Row>() {
      questions += 1;
      if (failure) throw failure;
      return [{ state }] as Row[];
    },
  };
  const request = async (actor = VISITOR) => {
    const { data, errors } = await cachedResult({ actor, sql } as Call, document, {}, () => {
      runs += 1;
      return execute(runs);
    });
    return errors ? errors[0]!.message : data!.run;
  };
  return {
    request,
    together: (count: number) => Promise.all(Array.from({ length: count }, () => request())),
    /** Sends requests one after the other, each after the previous one is done. */
    async repeat(count: number) {
      const found: unknown[] = [];
      for (let time = 0; time < count; time += 1) {
        found.push(await request());
        await nextTurn();
        await nextTurn();
      }
      return found;
    },
    commit(name: string | null) {
      state = name;
    },
    fail(why: Error | null) {
      failure = why;
    },
    questions: () => questions,
  };
}

/** Executions that end only when the test ends them. */
function heldBack(immediate: number) {
  const ends: (() => void)[] = [];
  const execute: Execute = (run) =>
    run <= immediate ? numbered(run) : new Promise((resolve) => ends.push(() => resolve({ data: { run } })));
  return { execute, ends };
}

describe('a result', () => {
  it('is cached at its third run in one state, and at its first run after a commit if it was in use', async () => {
    const { repeat, commit } = createProcess();
    expect(await repeat(5)).toEqual([1, 2, 3, 3, 3]);
    commit('state 2');
    expect(await repeat(3)).toEqual([4, 4, 4]);
  });

  it('is cached at its second run after a commit if it was not in use', async () => {
    const { repeat, commit } = createProcess();
    expect(await repeat(3)).toEqual([1, 2, 3]);
    commit('state 2');
    expect(await repeat(4)).toEqual([4, 5, 5, 5]);
  });

  it('is not cached during frequent commits, and needs one state query for each run', async () => {
    const { repeat, commit, questions } = createProcess();
    await repeat(4);
    let before = 0;
    for (let n = 2; n < 8; n += 1) {
      before = questions();
      commit(`state ${n}`);
      expect(await repeat(1)).toEqual([n + 2]);
      commit(`state ${n} and a half`);
    }
    expect(questions() - before).toBe(1);
  });

  it('is not cached if there was a commit during its run', async () => {
    const { execute, ends } = heldBack(3);
    const { request, repeat, commit } = createProcess(execute);
    await repeat(4); // in use
    commit('state 2');
    const before = request();
    while (ends.length < 1) await nextTurn();
    commit('state 3');
    ends[0]!();
    expect(await before).toBe(4);
    const after = request();
    while (ends.length < 2) await nextTurn();
    ends[1]!();
    expect(await after).toBe(5);
  });

  it('is not cached if the state is unknown or the caller is not a visitor', async () => {
    const { repeat, commit, request } = createProcess();
    commit(null);
    expect(await repeat(4)).toEqual([1, 2, 3, 4]);
    commit('state 1');
    await repeat(3);
    expect(await request({ userId: null, sysadmin: true })).toBe(7);
  });
});

describe('concurrent requests', () => {
  it('share one state query', async () => {
    const { repeat, together, questions } = createProcess();
    await repeat(3);
    const before = questions();
    expect(await together(10)).toEqual(Array(10).fill(3));
    expect(questions() - before).toBe(1);
  });

  it('share one execution after a commit', async () => {
    const { repeat, together, commit } = createProcess();
    await repeat(4);
    commit('state 2');
    expect(await together(10)).toEqual(Array(10).fill(4));
    expect(await repeat(1)).toEqual([4]);
  });

  it('get the error of their state query, and later requests query again', async () => {
    const { repeat, together, fail } = createProcess();
    await repeat(3);
    fail(new Error('down'));
    expect(await together(3)).toEqual(Array(3).fill('down'));
    fail(null);
    expect(await repeat(1)).toEqual([3]);
  });
});

describe('a running execution', () => {
  it('is not shared after a commit, even if a later execution ends first', async () => {
    const { execute, ends } = heldBack(1);
    const { request, repeat, commit } = createProcess(execute);
    await repeat(1);
    const before = request();
    while (ends.length < 1) await nextTurn();
    commit('state 2');
    const after = request();
    while (ends.length < 2) await nextTurn();
    ends[1]!();
    expect(await after).toBe(3);
    ends[0]!();
    expect(await before).toBe(2);
    const next = request();
    while (ends.length < 3) await nextTurn();
    ends[2]!();
    expect(await next).toBe(4);
    expect(await repeat(1)).toEqual([4]); // the late result did not replace it
  });

  it.each<[string, () => Promise<ExecutionResult>]>([
    ['answers an error', () => Promise.resolve({ errors: [{ message: 'lost' } as never] })],
    ['rejects', () => Promise.reject(new Error('lost'))],
  ])('that %s fails its own request only', async (_how, lose) => {
    const { request, repeat } = createProcess((run) => (run === 2 ? nextTurn().then(lose) : numbered(run)));
    await repeat(1);
    const [first, ...others] = await Promise.allSettled([request(), request(), request()]);
    expect(first!.status === 'fulfilled' ? first!.value : first!.reason.message).toBe('lost');
    expect(others.map((it) => it.status === 'fulfilled' && it.value)).toEqual([3, 4]);
  });

  it('that never ends delays only requests of its first second', async () => {
    const { execute } = heldBack(1);
    let isStuck = true;
    const { request, repeat } = createProcess((run) => (isStuck ? execute(run) : numbered(run)));
    await repeat(1);
    void request();
    await nextTurn();
    await nextTurn();
    isStuck = false;
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await request()).toBe(3);
  });
});
