/** `catalog try` and `npm run try`: runs one action and prints each of its steps. Its writes are real. */
import { getOperationAST } from 'graphql';
import { actions } from '../../facades/action/actions.ts';
import { createAnswer } from '../../facades/action/answer.ts';
import { type Raw, styleOf } from '../../facades/action/define.ts';
import { bodyLimits } from '../../facades/shared/bodies.ts';
import { textOf } from '../../facades/shared/http.ts';
import { type Catalog, operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

export const command: Command = async (args, context) => {
  const [name, ...words] = args;
  if (name === undefined) throw new UsageError();
  const raw = parametersOf(words);
  const statements: string[] = [];
  const work = async ({ app, settings }: Catalog) => {
    const { find, answer } = createAnswer({
      actions,
      run: app.run,
      siteUrl: settings['catalog.site_url'],
      statuses: 'http',
      style: styleOf(settings),
      limits: bodyLimits(settings),
      onDefect: (thrown) => console.error(thrown),
    });
    const row = find(name);
    if (!row) throw new UsageError(`Unknown action "${name}". docs/actions.md lists all actions.`);
    statements.length = 0; // drops statements from opening the catalog
    const start = performance.now();
    const { status, success, body } = await answer(name, row, raw, app.callAs(operator));
    const time = performance.now() - start;
    console.log(`operation   ${'document' in row ? getOperationAST(row.document)?.name?.value : `none: ${row.why}`}`);
    console.log(`statements  ${statements.length}${statements.map(numbered).join('')}`);
    console.log(`time        ${time.toFixed(1)} ms (new process)`);
    console.log(`response    ${status}\n${JSON.stringify(JSON.parse(textOf(body)), null, 2)}`);
    if (!success) throw new CommandFailure(`${name} was refused.`);
  };
  await withCatalog(context, work, (text) => statements.push(text));
};

const numbered = (text: string, index: number): string =>
  `\n  ${String(index + 1).padStart(2)}  ${text.trim().replaceAll('\n', '\n      ')}`;

/**
 * Parses parameters: `name=text` as in a query string, where a repeated name makes a list; `name:=json` for other values.
 * @throws UsageError for any other word
 */
export function parametersOf(words: readonly string[]): Raw {
  const raw: Record<string, unknown> = {};
  for (const word of words) {
    const [, name, json, value] = /^([^=:]+)(:?)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`"${word}" must be NAME=TEXT or NAME:=JSON.`);
    if (json) raw[name] = parsed(name, value);
    else raw[name] = Object.hasOwn(raw, name) ? [raw[name], value].flat() : value;
  }
  return raw;
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The value of ${name} must be JSON (got ${text})`);
  }
}
