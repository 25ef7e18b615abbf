/** Callers' SQL: functions and operators that need a run-time check have one, for every signature. */
import { describe, expect, it } from '@jest/globals';
import { CHECKED } from '../../../src/datastore/statement/checked.sql.ts';
import { GROWTH, OPERATOR_GROWTH, SMALL } from '../../../src/datastore/statement/statement.growth.ts';

describe('run-time checks', () => {
  const FORMS: Readonly<Record<string, readonly string[]>> = {
    strpos: ['text,text'],
    position: ['text,text', 'bytea,bytea', 'bit,bit'],
    split_part: ['text,text,integer'],
    btrim: ['text,text', 'bytea,bytea'],
    ltrim: ['text,text', 'bytea,bytea'],
    rtrim: ['text,text', 'bytea,bytea'],
    trim: [], // parsed as btrim
    translate: ['text,text,text'],
    string_to_array: ['text,text', 'text,text,text'],
    replace: ['text,text,text'],
    regexp_replace: ['', ',text', ',integer', ',integer,integer', ',integer,integer,text'].map(
      (more) => `text,text,text${more}`,
    ),
    array_to_string: ['anyarray,text', 'anyarray,text,text'],
    array_replace: ['anycompatiblearray,anycompatible,anycompatible'],
    jsonb_pretty: ['jsonb'],
    ...Object.fromEntries(
      ['ts_rank', 'ts_rank_cd'].map((name) => [
        name,
        ['', 'real[],'].flatMap((before) => ['', ',integer'].map((after) => `${before}tsvector,tsquery${after}`)),
      ]),
    ),
    '~~': ['text,text', 'bpchar,text', 'bytea,bytea'],
    '!~~': ['text,text', 'bpchar,text', 'bytea,bytea'],
    '~~*': ['text,text', 'bpchar,text'],
    '!~~*': ['text,text', 'bpchar,text'],
    '@>': ['anyarray,anyarray', 'jsonb,jsonb'],
    '<@': ['anyarray,anyarray', 'jsonb,jsonb'],
    '&&': ['anyarray,anyarray'],
    '-': ['jsonb,text[]'],
  };
  const great = { fixed: 0, times: 20, work: 0 };
  const lists = [1, 2, 3, 4, 5].flatMap((n) => [Array(n).fill(great), [SMALL, ...Array(n).fill(great)]]);
  const canCheck = (growths: typeof GROWTH) =>
    [...growths].filter(([, growth]) => lists.some((args) => growth(args).checked)).map(([name]) => name);

  it('exist exactly for the functions and operators that the static analysis defers to them', () => {
    const formsOf = (name: string) =>
      CHECKED.filter((one) => (one.operator ?? one.name) === name).map(({ args }) => args.join(','));
    const names = [...canCheck(GROWTH), ...canCheck(OPERATOR_GROWTH)];
    expect(Object.fromEntries(names.map((name) => [name, formsOf(name).sort()]))).toEqual(
      Object.fromEntries(Object.entries(FORMS).map(([name, forms]) => [name, [...forms].sort()])),
    );
    expect(CHECKED.filter(({ name, operator }) => !names.includes(operator ?? name))).toEqual([]);
  });

  it('compute no NULL sizes', () => {
    for (const { size } of CHECKED) {
      const bare = size.replace(
        /coalesce\((octet_length|cardinality|pg_column_size|numnode)\(\$\d(::text)?\), 0\)/g,
        '',
      );
      expect([size, bare]).toEqual([size, expect.not.stringContaining('$')]);
    }
  });
});
