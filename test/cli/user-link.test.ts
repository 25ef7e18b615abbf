import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { passwordReset } from '../../src/accounts/recovery/recovery.service.ts';
import { login } from '../../src/accounts/session/session.service.ts';
import { type Catalog, openCatalog } from '../../src/cli/catalog.ts';
import { firstAdministrator } from '../../src/cli/serve.ts';
import { command } from '../../src/cli/user-link.ts';
import { anonymous } from '../../src/kernel/call.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';

let database: TestDatabase;
let catalog: Catalog;
const context = () => ({
  settings: settingsForTests({
    'catalog.database_url': database.url,
    'catalog.site_url': 'https://data.example.org',
    'catalog.secret': 'one secret for the server and the command',
  }),
  log: pino({ level: 'silent' }),
});
beforeAll(async () => {
  database = await createDatabase();
  catalog = await openCatalog(context());
});
afterAll(async () => {
  await catalog.close();
  await database.end();
});

const visitor = () => catalog.app.callAs(anonymous('192.0.2.1'));
const LINK = /^https:\/\/data\.example\.org\/user\/reset\/[\w-]+\?key=(cgp_[\w-]{43})$/;

/** Standard output of the command. */
async function printed(...args: string[]): Promise<string> {
  const [out, err] = (['log', 'error'] as const).map((name) => jest.spyOn(console, name).mockImplementation(() => {}));
  try {
    await command(args, context());
    return out!.mock.calls.flat().join('\n');
  } finally {
    for (const spy of [out, err]) spy!.mockRestore();
  }
}

it('prints a key and a one-time link for the first administrator, and nothing later', async () => {
  const text = await firstAdministrator(catalog);
  expect(text).toMatch(/^ {2}name {6}admin$/m);
  expect(text).toMatch(/^ {2}API key {3}\S+$/m);
  const key = LINK.exec(text!.split('\n').at(-1)!.trim())![1]!;
  await passwordReset(visitor(), { key, password: 'correct horse' });
  await expect(passwordReset(visitor(), { key, password: 'battery staple' })).rejects.toThrow('no longer valid');
  expect((await login(visitor(), { login: 'admin', password: 'correct horse' })).user).toMatchObject({
    name: 'admin',
    sysadmin: true,
  });
  expect(await firstAdministrator(catalog)).toBeNull();
});

it('prints a link for any user, without mail', async () => {
  const [, key] = LINK.exec(await printed('admin'))!;
  await passwordReset(visitor(), { key: key!, password: 'battery staple' });
  await login(visitor(), { login: 'admin', password: 'battery staple' });
});

it('refuses unknown users and wrong arguments', async () => {
  await expect(printed('nobody')).rejects.toThrow('no user has this id or name');
  for (const words of [[], ['admin', 'other'], ['--admin']])
    await expect(printed(...words)).rejects.toMatchObject({ name: 'UsageError' });
});
