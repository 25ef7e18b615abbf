import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { type Database, openDatabase } from '../../src/infra/postgres/db.ts';
import { anonymous } from '../../src/kernel/call.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let other: TestUser;
/** A second server on the same database. */
let second: { app: App; database: Database };

beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'From the file' });
  admin = await world.make.sysadmin();
  other = await world.make.user();
  const database = openDatabase({ url: world.database.url });
  const log = pino({ level: 'silent' });
  second = { database, app: await createApp({ settings: world.settings, database, secret: randomBytes(32), log }) };
});
afterAll(async () => {
  await second.app.close();
  await second.database.close();
  await world.end();
});

const update = (options: Record<string, unknown>) => world.result('config_option_update', options, { as: admin });
const show = (id: string) => world.result('config_option_show', { id }, { as: admin, get: true });
const refusal = async (name: string, params: object, as: TestUser | null = admin) => {
  const { body } = await world.action(name, params as Record<string, unknown>, { as });
  expect(body.success).toBe(false);
  return body.error;
};
const title = async () => (await world.result('status_show', {}, { get: true })).site_title;
const titleOfSecond = () => second.app.callAs(anonymous('x')).settings['catalog.site_title'];

/** Waits until the second server has this title. */
const heard = (expected: string): Promise<boolean> => until(() => titleOfSecond() === expected, titleOfSecond);

it('lists the options', async () => {
  expect((await world.result('config_option_list', {}, { as: admin, get: true })).sort()).toEqual([
    'catalog.homepage_style',
    'catalog.main_css',
    'catalog.site_about',
    'catalog.site_custom_css',
    'catalog.site_description',
    'catalog.site_intro_text',
    'catalog.site_logo',
    'catalog.site_title',
    'catalog.site_url',
  ]);
});

describe('config_option_update', () => {
  it('takes effect at once, in every process, and can be undone', async () => {
    expect(await update({ 'catalog.site_title': 'New', 'ckan.site_description': 5 })).toEqual({
      'catalog.site_title': 'New',
      'ckan.site_description': '5',
    });
    expect([await title(), await show('catalog.site_title'), await show('ckan.site_title')]).toEqual([
      'New',
      'New',
      'New',
    ]);
    await heard('New');
    await update({ 'catalog.site_title': '' });
    expect(await title()).toBe('');
    await heard('');
    await update({ 'catalog.site_title': null });
    expect(await title()).toBe('From the file');
    await heard('From the file');
  });

  it('changes the title of pages in every process', async () => {
    const pages = ['/', '/graphql', '/api/docs', '/openapi.json', '/no-such-page'];
    await new Promise<void>((resolve) => second.app.server.listen(0, '127.0.0.1', resolve));
    const { port } = second.app.server.address() as AddressInfo;
    const texts = (base: string) =>
      Promise.all(
        pages.map(async (path) => (await fetch(base + path, { headers: { accept: 'text/html,*/*' } })).text()),
      );
    for (const name of ['Rivers of Town', 'Lakes of Town']) {
      await update({ 'catalog.site_title': name });
      await heard(name);
      for (const base of [world.base, `http://127.0.0.1:${port}`])
        expect((await texts(base)).map((text) => text.includes(name))).toEqual(pages.map(() => true));
    }
    await update({ 'catalog.site_title': null });
    await heard('From the file');
  });

  it('reaches the second server after a lost connection, and when the table is emptied', async () => {
    await update({ 'catalog.site_title': 'Before' });
    await heard('Before');
    await world.database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'catalog notices' AND datname = current_database()",
    );
    await update({ 'catalog.site_title': 'While away' });
    await heard('While away');
    await world.database.pool.query('TRUNCATE site_option');
    await heard('From the file');
  });

  it('applies to a process that starts later', async () => {
    await update({ 'catalog.site_title': 'Kept' });
    const late = await createApp({
      settings: world.settings,
      database: second.database,
      secret: randomBytes(32),
      log: pino({ level: 'silent' }),
    });
    expect(late.callAs(anonymous('x')).settings['catalog.site_title']).toBe('Kept');
    await late.close();
  });

  it('validates values like the setting', async () => {
    expect(await update({ 'catalog.homepage_style': '2' })).toEqual({ 'catalog.homepage_style': 2 });
    expect(await show('catalog.homepage_style')).toBe('2');
    expect(await update({})).toEqual({});
    expect(await update({ 'catalog.site_url': 'http://catalog.test' })).toEqual({
      'catalog.site_url': 'http://catalog.test',
    });
    for (const [name, value] of [
      ['catalog.homepage_style', 'x'],
      ['catalog.homepage_style', 0],
      ['catalog.site_url', 'http://elsewhere.test'],
      ['catalog.site_title', 'x'.repeat(10_001)],
    ] as const)
      expect(await refusal('config_option_update', { [name]: value, 'catalog.main_css': 'half' })).toMatchObject({
        __type: 'Validation Error',
        [name]: [expect.any(String)],
      });
    expect(await show('catalog.main_css')).toBe('');
  });

  it('refuses unknown names, and callers who are not system administrators', async () => {
    expect(await refusal('config_option_update', { 'bogus.key': 'x', 'catalog.secret': 'y' })).toEqual({
      __type: 'Validation Error',
      message: "Configuration option(s) 'bogus.key catalog.secret' can not be updated",
    });
    expect(await refusal('config_option_show', { id: 'nope' })).toEqual({
      __type: 'Validation Error',
      message: "Configuration option 'nope' can not be shown",
    });
    expect((await refusal('config_option_show', {})).__type).toBe('Validation Error');
    for (const as of [other, null])
      for (const [name, params] of [
        ['config_option_update', { 'catalog.site_title': 'x' }],
        ['config_option_update', {}],
        ['config_option_show', { id: 'catalog.site_title' }],
        ['config_option_list', {}],
      ] as const)
        expect((await refusal(name, params, as)).__type).toBe('Authorization Error');
  });
});
