import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { command, parametersOf } from '../../src/cli/try.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { runCommand } from '../helpers/command.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';

let catalog: TestDatabase;
beforeAll(async () => {
  catalog = await createDatabase();
});
afterAll(() => catalog.end());

/** Runs the command. Returns its output and its failure, if any. */
async function tried(...args: string[]): Promise<{ printed: string; refusal: Error | null }> {
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  const settings = settingsForTests({ 'catalog.database_url': catalog.url });
  const refusal = await command(args, { settings, log: pino({ level: 'silent' }) }).then(
    () => null,
    (thrown: Error) => thrown,
  );
  const text = printed.mock.calls.flat().join('\n');
  printed.mockRestore();
  return { printed: text, refusal };
}

describe('catalog try', () => {
  it('writes as the operator, and prints operation, statements, time and response', async () => {
    const { printed, refusal } = await tried('vocabulary_create', 'name=themes', 'tags:=[{"name": "air"}]');
    expect(refusal).toBeNull();
    expect(printed).toMatch(/^operation {3}ActionVocabularyCreate$/m);
    expect(printed).toMatch(/^ +\d+ {2}INSERT INTO /m);
    expect(printed).toMatch(/^time +\d+\.\d ms/m);
    expect(printed).toContain('"name": "themes"');
    const { printed: list } = await tried('tag_list', 'query=AI', 'vocabulary_id=themes');
    expect(JSON.parse(list.slice(list.indexOf('{\n')))).toMatchObject({ success: true, result: ['air'] });
  });

  it('prints a refusal as clients receive it, and fails', async () => {
    const { printed, refusal } = await tried('dataset_show', 'id=nope');
    expect(printed).toMatch(/^response +404$/m);
    expect(printed).toContain('"__type": "Not Found Error"');
    expect(refusal).toMatchObject({ name: 'CommandFailure' });
  });

  it('runs as a command line', async () => {
    const ended = await runCommand(
      { 'catalog.database_url': catalog.url },
      'try',
      'package_search',
      'q=river',
      'rows=5',
    );
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('"success": true') });
    expect((await runCommand({}, 'try')).err).toContain('ACTION is missing');
  });

  it('fails with a usage error for wrong arguments', async () => {
    expect((await tried()).refusal).toMatchObject({ name: 'UsageError', message: '' });
    expect((await tried('no_such_action')).refusal).toMatchObject({ name: 'UsageError' });
    expect((await tried('tag_list', 'air')).refusal).toMatchObject({ name: 'UsageError' });
  });
});

it('reads parameters like a query, or as JSON', () => {
  expect(parametersOf(['q=a=b', 'fq=', 'tag=x', 'tag=y', 'rows:=2', 'extras:={"a": [1]}'])).toEqual({
    q: 'a=b',
    fq: '',
    tag: ['x', 'y'],
    rows: 2,
    extras: { a: [1] },
  });
  expect(() => parametersOf(['rows:=two'])).toThrow('The value of rows must be JSON');
});
