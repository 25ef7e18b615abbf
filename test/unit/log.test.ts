/** The log: formats, levels of areas, and no secret in any line. */
import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { createAreas } from '../../src/infra/log/areas.ts';
import { createLogger } from '../../src/infra/log/log.ts';
import { loadSettings, type Settings, settingsForTests } from '../../src/kernel/config.ts';
import { SETTINGS, type SettingName } from '../../src/kernel/settings.ts';
import type { Setting } from '../../src/kernel/settings.types.ts';

function logging(overrides: Partial<Settings> = {}, isTTY = false) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLogger(settingsForTests({ 'catalog.log_level': 'info', ...overrides }), { write, isTTY });
  return { log, lines, text: () => lines.join('') };
}

it('writes JSON lines, and lines for people on a terminal or by setting', () => {
  const json = logging();
  json.log.info({ status: 200 }, 'request');
  expect(JSON.parse(json.text())).toMatchObject({ level: 30, msg: 'request', status: 200 });
  const terminal = logging({}, true);
  terminal.log.warn({ area: 'http', status: 200, cost: null, route: '/a' }, 'request');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors
  expect(terminal.text().replace(/\u001b\[\d+m/g, '')).toMatch(
    /^[\d:.]{12} WARN {2}http: request status=200 route=\/a\n$/,
  );
  expect(terminal.text()).toContain('\u001b[33m');
  const pretty = logging({ 'catalog.log_format': 'pretty' });
  pretty.log.error({ err: new Error('broken') }, 'failed');
  expect(pretty.text()).toMatch(/^[\d:.]{12} ERROR failed\n {4}Error: broken\n {4} +at /);
  expect(pretty.text()).not.toContain('\u001b');
  const forced = logging({ 'catalog.log_format': 'json' }, true);
  forced.log.info('x');
  expect(JSON.parse(forced.text()).msg).toBe('x');
});

it('shows no control character of a stranger on a terminal', () => {
  const { log, text } = logging({ 'catalog.log_format': 'pretty' });
  log.info({ route: 'a\u001b[2Jb\nc\u202ed' }, 'x\u0007y');
  expect(text().split('\n')).toHaveLength(2);
  expect(text().trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it('has a level for each area', () => {
  const { log, lines } = logging();
  const areaOf = createAreas(log, ['jobs=debug', 'http=warn', 'mail=silent']);
  areaOf('jobs').debug('yes');
  areaOf('http').info('no');
  areaOf('http').warn('yes');
  areaOf('mail').error('no');
  areaOf('links').info('yes');
  areaOf('links').debug('no');
  areaOf('http').child({ requestId: '1' }).info('no');
  expect(lines.map((line) => JSON.parse(line)).map(({ area, msg }) => [area, msg])).toEqual([
    ['jobs', 'yes'],
    ['http', 'yes'],
    ['links', 'yes'],
  ]);
});

it('refuses unknown areas and levels', () => {
  const read = (value: string) => () => loadSettings({ CATALOG__LOG_AREAS: value, CATALOG_HOME: tmpdir() });
  for (const wrong of ['jobs', 'jobs=loud', 'nothing=info', 'jobs=debug,http'])
    expect(read(wrong)).toThrow(/catalog\.log_areas \(CATALOG__LOG_AREAS\): must be items such as jobs=debug/);
});

/** Every way in which a value gets into a line. */
const ways = (secret: string): (readonly unknown[])[] => [
  [`message ${secret}`],
  [{ field: secret }, 'field'],
  [{ deep: { list: [secret] } }, 'deep'],
  [{ err: new Error(`failed with ${secret}`) }, 'error'],
  [{ err: Object.assign(new Error('x'), { cause: new Error(secret), detail: secret }) }, 'cause'],
];

it('writes no secret setting, in whatever field', () => {
  const names = (Object.keys(SETTINGS) as SettingName[]).filter((name) => (SETTINGS[name] as Setting<unknown>).secret);
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) {
    const secret = `pa"ss\\wörd-${name}`;
    const { log, text } = logging({ 'catalog.files.key_id': 'id', 'catalog.files.secret': 'other', [name]: secret });
    for (const [first, ...rest] of ways(secret)) log.error(first as object, ...(rest as [string]));
    expect(text()).not.toContain(secret);
    expect(text()).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(text().split('[redacted]').length).toBeGreaterThanOrEqual(6);
  }
});

it.each([
  ['postgresql://owner:s3cr%40t-word@db:5432/catalog', ['s3cr%40t-word', 's3cr@t-word']],
  ['postgresql://db/catalog?user=x&password=hidden-word', ['hidden-word']],
])('writes no password of a URL: %s', (url, secrets) => {
  const { log, text } = logging({ 'catalog.database_url': url });
  for (const secret of [url, ...secrets])
    for (const [first, ...rest] of ways(secret)) log.error(first as object, ...(rest as [string]));
  for (const secret of secrets) expect(text()).not.toContain(secret);
});

it('writes no password of a list of URLs', () => {
  const { log, text } = logging({
    'catalog.search.solr_url': ['http://me:first-word@a/solr/x', 'http://me:s3cr%40t-word@b/solr/x'],
  });
  for (const secret of ['first-word', 's3cr%40t-word', 's3cr@t-word']) {
    for (const [first, ...rest] of ways(secret)) log.error(first as object, ...(rest as [string]));
    expect(text()).not.toContain(secret);
  }
});

it.each([
  ['a token', `cgt_${'x'.repeat(43)}`, 'x'.repeat(43)],
  ['a session', `catalog_session=cgs_${'y-_'.repeat(14)}y; other=1`, 'y-_y-_'],
  ['a key for a password', `/user/reset?key=cgp_${'z'.repeat(43)}`, 'zzz'],
  ['an unknown URL', 'connect to http://solr:unknown-password@solr:8983/', 'unknown-password'],
  ['a header', 'authorization: Bearer 9f3c-secret-key', '9f3c-secret-key'],
  ['a key header', '"X-CKAN-API-Key":"9f3c-secret-key"', '9f3c-secret-key'],
  ['a cookie', '{"cookie":"session=9f3c-secret-key"}', '9f3c-secret-key'],
])('writes no secret of a caller: %s', (_what, sent, secret) => {
  const { log, text } = logging();
  for (const [first, ...rest] of ways(sent)) log.error(first as object, ...(rest as [string]));
  log.info({ req: { headers: { authorization: 'plain-secret', cookie: 'a=plain-secret' } } }, 'x');
  expect(text()).not.toContain(secret);
  expect(text()).not.toContain('plain-secret');
  for (const line of text().trim().split('\n')) JSON.parse(line);
});

it('takes a time that grows with the length of a line, not with its square', () => {
  const { log, lines } = logging();
  for (const word of ['a.', 'x-', 'a://', 'a://b:', 'authorization ', 'cgs_-', 'bearer '])
    log.info({ field: word.repeat(500_000) }, 'long'); // minutes each, if it were the square
  expect(lines).toHaveLength(7);
});
