/** Checks every row of the action table: valid, described, complete and documented. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { getOperationAST } from 'graphql';
import { actions } from '../../facades/action/actions.ts';
import type { Action } from '../../facades/action/define.ts';
import { actionsPage } from '../../facades/action/docs.ts';
import { helpText, type Row } from '../../facades/action/help.ts';
import type { Param } from '../../facades/action/params.ts';
import { NOT_OFFERED, NOT_YET } from '../../facades/action/reference.ts';
import { compileOperation } from '../../src/graph/run.ts';
import { schema } from '../../src/graph/schema.ts';
import { projectRoot } from '../../src/kernel/root.ts';

/** Rows that do more than translate one operation. Add a new one only with a reason. */
const SPECIALS = ['help_show'];

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const recorded: Record<string, { kind: string; params: string[] }> = JSON.parse(
  read('test/compat/actions.json'),
).actions;
const rows = Object.entries(actions) as [string, Row][];
const paramsOf = (row: Row): [string, Param<unknown>][] => Object.entries(row.params);

describe.each(rows)('%s', (name, row) => {
  it('has an operation of its kind that fits the schema and compiles', () => {
    if ('handle' in row) return expect(SPECIALS).toContain(name);
    expect(getOperationAST(row.document)!.operation).toBe(row.kind === 'read' ? 'query' : 'mutation');
    compileOperation(schema, row.document);
  });

  it('describes its effect, parameters and result in sentences', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    expect(row.summary).toMatch(/^\p{Lu}.*\.$/su);
    expect(row.summary).not.toContain('\n');
    expect(row.returns).toMatch(/^\p{Lu}.*\.$/su);
    expect(row.differs ?? 'Same.').toMatch(/^[\p{Lu}`].*\.$/su);
    if (row.differs) expect(Object.keys(recorded)).toContain(name);
    const vague = paramsOf(row).filter(([, { about, type }]) => !/^\S+ .*\.$/s.test(about) || type === '');
    expect(vague.map(([param]) => param)).toEqual([]);
  });

  it('mentions every parameter in its help', () => {
    const help = helpText(name, row, 'http://catalog.test');
    const missing = paramsOf(row).filter(
      ([param, { about }]) => !help.includes(`  ${param} (`) || !help.includes(about),
    );
    expect(missing).toEqual([]);
    expect(help).toContain(`http://catalog.test/api/3/action/${name}`);
  });

  it('takes the recorded parameters, and has the recorded kind', () => {
    const known = recorded[name];
    if (!known) return;
    expect(row.kind).toBe(known.kind);
    expect(known.params.filter((param) => !Object.hasOwn(row.params, param))).toEqual([]);
  });
});

it('lists its special rows by name', () => {
  expect(
    rows
      .filter(([, row]) => 'handle' in row)
      .map(([name]) => name)
      .sort(),
  ).toEqual([...SPECIALS].sort());
});

it('computes cached responses only from data and parameters', () => {
  const cached = rows.flatMap(([name, row]) => ('isCached' in row ? [{ name, row: row as Action }] : []));
  expect(cached.length).toBeGreaterThan(3);
  for (const { name, row } of cached)
    expect([name, row.result.length <= 2, row.preset, row.use]).toEqual([name, true, undefined, undefined]);
});

it('has every action of the reference, or a reason for its absence', () => {
  const missing = Object.keys(recorded).filter((name) => !Object.hasOwn(actions, name));
  expect(missing.filter((name) => !NOT_OFFERED[name] && !NOT_YET[name])).toEqual([]);
  const built = Object.keys({ ...NOT_OFFERED, ...NOT_YET }).filter((name) => Object.hasOwn(actions, name));
  expect(built).toEqual([]);
  expect(Object.keys(NOT_YET).filter((name) => !Object.hasOwn(recorded, name))).toEqual([]);
});

it('equals docs/actions.md (written by node scripts/docs-actions.mjs)', () => {
  expect(read('docs/actions.md')).toBe(actionsPage(actions, Object.keys(recorded)));
});
