/** SQL is in files named *.sql.ts, each of which states why it does not use Prisma. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { dataModel } from '../helpers/data-model.ts';

/** Files with statements that do not belong to a table. */
const EXEMPT: Readonly<Record<string, string>> = {
  'src/catalog/document/copies.ts': 'a fragment of the statements that write datasets',
  'src/http/readiness.ts': 'asks whether the database is migrated',
  'src/infra/postgres/bounded-read.ts': 'watches the memory of a statement',
  'src/infra/postgres/datastore.ts': 'locks on the second connection',
  'src/infra/postgres/datastore.work.ts': 'cancels a statement from another connection',
  'src/infra/postgres/db.ts': 'finds the connection of a transaction',
  'src/infra/postgres/listen.ts': 'LISTEN, on a connection of its own',
  'src/infra/postgres/advisory-lock.ts': 'advisory locks, on a connection of its own',
  'src/infra/postgres/named-query.ts': 'sets the timeout of a statement',
  'src/infra/postgres/client.ts': 'asks a server whether it is a standby',
  'src/migrate/locks.ts': 'locks the tables of a migration',
  'src/migrate/migrate.ts': 'runs the migrations',
  'src/search/postgres/statement.ts': 'composes the statement of a search',
};
/**
 * Maximum number of named statements outside the DataStore, with templates counted once. A new one needs a reason in its file's first
 * comment.
 */
const MAX_NAMED = 127;

/** A feature that Prisma lacks, tables outside its schema, or a measurement beside Prisma. */
const REASON = /\bPrisma (?:has no|cannot) |\bnot in the Prisma schema\b|\bIn SQL because .*\d.*\bPrisma\b/;
/** The first two sentences of the head comment: the job of the file, and the reason. */
function openingOf(text: string): string {
  const head = /^\/\*\*(.*?)\*\//s.exec(text)?.[1] ?? '';
  const sentences = head.replace(/\s+(?:\* )?/g, ' ').split('. ');
  return sentences.slice(0, 2).join('. ');
}

const STATEMENT = /[`'"]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s/;
/** The name of a statement, literal or composed. */
const NAME = /\bname(?::| =) (?:'[a-z]|`)/g;
const all = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts') && !file.startsWith('src/generated/'))
  .map((file) => ({ file, text: readFileSync(join(projectRoot, file), 'utf8') }));
const files = all.filter(({ file }) => !/^src\/(datastore|embedded|cli)\//.test(file));
const inSql = files.filter(({ file }) => file.endsWith('.sql.ts'));

it('has statements only in *.sql.ts files', () => {
  const others = files.filter(({ file, text }) => !file.endsWith('.sql.ts') && STATEMENT.test(text));
  expect(others.map(({ file }) => file).filter((file) => !Object.hasOwn(EXEMPT, file))).toEqual([]);
  expect(Object.keys(EXEMPT).filter((file) => !others.some((other) => other.file === file))).toEqual([]);
});

it('states the reason for SQL in each head comment', () => {
  const every = all.filter(({ file }) => file.endsWith('.sql.ts'));
  expect(every.length).toBeGreaterThan(90);
  expect(every.filter(({ text }) => !REASON.test(openingOf(text))).map(({ file }) => file)).toEqual([]);
  expect('/** Lists links. In SQL because Prisma is slow, and they are read by set. */').not.toMatch(REASON);
});

it(`has no more than ${MAX_NAMED} named statements`, () => {
  const names = inSql.flatMap(({ text }) => [...text.matchAll(NAME)]);
  expect(names.length).toBeLessThanOrEqual(MAX_NAMED);
});

it('sends statements and calls Prisma only from the files for them', () => {
  const sends = /\bsql\.rows[(<]|\$(?:query|execute)Raw/;
  const senders = files.filter(({ file, text }) => !file.endsWith('.sql.ts') && sends.test(text));
  expect(senders.map(({ file }) => file).sort()).toEqual(
    ['datastore.ts', 'datastore.work.ts', 'db.ts'].map((file) => `src/infra/postgres/${file}`),
  );
  const models = dataModel.models.map(({ name }) => name[0]!.toLowerCase() + name.slice(1));
  const calls = new RegExp(`\\b(?:db|tx)\\.(?:${models.join('|')})\\b`);
  const callers = all.filter(({ file, text }) => !file.endsWith('.store.ts') && calls.test(text));
  expect(callers.map(({ file }) => file)).toEqual([]);
});
