/** The log: formats, levels of areas, and no secret in any line. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { createAreas } from '../../src/infra/log/areas.ts';
import { createLogger } from '../../src/infra/log/log.ts';
import { loadSettings, settingsForTests } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { SETTINGS, type SettingName } from '../../src/kernel/settings.ts';
import type { Setting } from '../../src/kernel/settings.types.ts';

function logging(overrides: Partial<Settings> = {}, isTTY = false) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLogger(settingsForTests({ 'catalog.log_level': 'info', ...overrides }), { write, isTTY });
  return { log, lines, text: () => lines.join('') };
}

it('writes JSON lines, and readable lines on a terminal or by setting', () => {
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

it('writes no control characters of callers in readable lines', () => {
  const { log, text } = logging({ 'catalog.log_format': 'pretty' });
  log.info({ route: 'a\u001b[2Jb\nc\u202ed' }, 'x\u0007y');
  expect(text().split('\n')).toHaveLength(2);
  expect(text().trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it('writes valid JSON with the same values for any text', () => {
  const texts = [
    'cookie:\tx',
    'cookie:\n\n"a',
    'authorization\t= bearer \u001b[31m',
    '{"cookie":"a\\"b"}',
    'x-key-api-key=\\u0041',
    'a://b:\\n@c',
    '\u009b31m\u202e\u007f\u2028\u{e0001}😀\ud83d',
  ];
  for (const format of ['json', 'pretty'] as const) {
    const { log, lines } = logging({ 'catalog.log_format': format });
    for (const text of texts) {
      log.info({ text, [text]: [text], deep: { cookie: 5, list: [text, null, 1.5] } }, text);
      log.error({ err: new Error(`bad ${text}`) }, 'failed');
    }
    expect(lines).toHaveLength(2 * texts.length);
    for (const line of lines) {
      expect(line.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
      if (format === 'pretty') continue;
      const { text, deep } = JSON.parse(line) as { text?: string; deep?: unknown };
      if (text === undefined) continue;
      expect(deep).toEqual({ cookie: '[redacted]', list: [text, null, 1.5] });
      expect([...texts.map((it) => it.toWellFormed()), expect.anything()]).toContainEqual(text);
    }
    expect(lines.join('')).toContain('😀');
  }
});

it('does not end the process while its disk is full', () => {
  const full = openSync('/dev/full', 'w');
  const script = `import { createLogger } from './dist/src/infra/log/log.js';
    import { settingsForTests } from './dist/src/kernel/config.js';
    const log = createLogger(settingsForTests({ 'catalog.log_level': 'info' }));
    log.info('x'.repeat(2 ** 20)); // more than may wait
    for (let i = 0; i < 3_000; i += 1) log.info('x'.repeat(1_000)); // more than may wait
    setTimeout(() => { log.info('later'); console.log(process.memoryUsage.rss() < 400 * 2 ** 20 ? 'alive' : 'too large'); }, 50);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  closeSync(full);
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'alive\n' });
});

it('writes a line of any length', () => {
  const script = `import { createLogger } from './dist/src/infra/log/log.js';
    import { settingsForTests } from './dist/src/kernel/config.js';
    createLogger(settingsForTests({ 'catalog.log_level': 'info' })).info('x'.repeat(3 * 2 ** 20));`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  expect(JSON.parse(stderr).msg).toHaveLength(3 * 2 ** 20);
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

it('accepts valid headers for the trace collector, and refuses others', () => {
  const read = (value: string) => () =>
    loadSettings({ OTEL_EXPORTER_OTLP_HEADERS: value, CATALOG_HOME: tmpdir() })['catalog.tracing.headers'];
  const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter(
    (it) => !',%'.includes(it),
  );
  for (const value of ['x-key=sk-KS, b=c', `a=${visible.join('')}`, 'a=b%20%7Ec', 'a='])
    expect(read(value)()).toBe(value);
  for (const value of ['a', 'a=b c', 'a=%0a', 'a=%zz', 'a=%7f', 'a=ſ', 'a=\u212a', 'a=b,', 'a\u0001=b'])
    expect(read(value)).toThrow('must be pairs such as key=value');
});

/** Every way for a value to get into a line. */
const ways = (secret: string): (readonly unknown[])[] => [
  [`message ${secret}`],
  [{ field: secret }, 'field'],
  [{ deep: { list: [secret] } }, 'deep'],
  [{ err: new Error(`failed with ${secret}`) }, 'error'],
  [{ err: Object.assign(new Error('x'), { cause: new Error(secret), detail: secret }) }, 'cause'],
];

it('writes no secret setting in any field', () => {
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
  ['a token after a line', `first\ncgs_${'y'.repeat(43)}`, 'yyy'],
  ['a cookie', '{"cookie":"session=9f3c-secret-key"}', '9f3c-secret-key'],
  ['a second cookie', 'Cookie: a="1, 2"; b=9f3c-secret-key', '9f3c-secret-key'],
  ['a header of another scheme', 'Authorization: Token 9f3c-secret-key', '9f3c-secret-key'],
  ['a header with parameters', 'authorization = Digest username="a b", response="9f3c-secret-key"', '9f3c-secret-key'],
  ['a header in a text of JSON', '{"a":"{\\"cookie\\":\\"a=1; b=9f3c-secret-key\\"}"}', '9f3c-secret-key'],
  ['a printed header', "{ 'x-ckan-api-key': '9f3c-secret-key' }", '9f3c-secret-key'],
  ['a header on the next line', 'cookie:\n\t9f3c-secret-key', '9f3c-secret-key'],
  ['a second header on the next line', 'cookie: a, authorization:\n 9f3c-secret-key', '9f3c-secret-key'],
  ['a continued header', 'Cookie: a=1;\r\n b=9f3c-secret-key', '9f3c-secret-key'],
  ['a list of cookies', "'set-cookie': [\n '9f3c-secret-key' ]", '9f3c-secret-key'],
  ['a printed list', "[ 'Cookie', '9f3c-secret-key' ]", '9f3c-secret-key'],
  ['a header after an escape', JSON.stringify({ raw: 'x\r\nCookie: a=9f3c-secret-key' }), '9f3c-secret-key'],
  ['an escaped header', JSON.stringify(JSON.stringify({ cookie: '9f3c-secret-key' })), '9f3c-secret-key'],
  ['a variable', 'HTTP_COOKIE=9f3c-secret-key', '9f3c-secret-key'],
  ['an encoded header', '/a?b=cookie%3D9f3c-secret-key', '9f3c-secret-key'],
  ['an encoded token', `/a?b=c%3Dcgs_${'y'.repeat(43)}`, 'yyy'],
  ['a password with @', 'http://solr:first@9f3c-secret-key@solr:8983/', '9f3c-secret-key'],
])('writes no secret of a caller: %s', (_what, sent, secret) => {
  const { log, text } = logging();
  for (const [first, ...rest] of ways(sent)) log.error(first as object, ...(rest as [string]));
  log.info({ req: { headers: { authorization: 'plain-secret', 'set-cookie': ['a=plain-secret'] } } }, 'x');
  log.info({ 'proxy-authorization': 'Basic plain-secret', 'req.headers.cookie': 'plain-secret' }, 'x');
  log.info({ rawHeaders: ['Host', 'a', 'Cookie', 'plain-secret'], time: 'cookie: plain-secret' }, 'x');
  expect(text()).not.toContain(secret);
  expect(text()).not.toContain('plain-secret');
  for (const line of text().trim().split('\n')) JSON.parse(line);
});

it('redacts the configured API key header', () => {
  const { log, text } = logging({ apikey_header_name: 'Portal.Key' });
  for (const [first, ...rest] of ways('portal.key: 9f3c-secret-key')) log.error(first as object, ...(rest as [string]));
  log.info({ headers: { 'portal.key': 'plain-secret', 'portal-key': 'shown' } }, 'x');
  expect(text()).not.toMatch(/9f3c-secret-key|plain-secret/);
  expect(text()).toContain('shown');
  const time = logging({ apikey_header_name: 'time', 'catalog.log_format': 'pretty' });
  time.log.info('time: 9f3c-secret-key');
  expect(time.text()).toMatch(/^[\d:.]{12} INFO {2}time: \[redacted\]\n$/);
});

it('redacts a header to the end of its text, and nothing before it', () => {
  const { log, lines } = logging();
  log.info({ route: '/a' }, 'first\nCookie: a=1; b=2\nlast');
  expect(JSON.parse(lines[0]!)).toMatchObject({ route: '/a', msg: 'first\nCookie: [redacted]' });
});

it('redacts a line of any length even if V8 does not optimize regular expressions', () => {
  const script = `import { createRedactor } from './dist/src/infra/log/redact.js';
    import { settingsForTests } from './dist/src/kernel/config.js';
    const redact = createRedactor(settingsForTests());
    const most = 8_000_000;
    const texts = ['cookie:', 'cookie', 'cgs_', 'a://', 'a://b:'].flatMap((text) => [text + '\\n'.repeat(most), text + 'a'.repeat(most)]);
    for (const msg of [...texts, 'cookie' + '"'.repeat(most)]) JSON.parse(redact(JSON.stringify({ msg })));
    console.log('redacted');`;
  const flags = ['--no-regexp-optimization', '--input-type=module', '-e'];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, script], { cwd: projectRoot, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'redacted\n', stderr: '' });
});

it('takes linear time for long lines', () => {
  const { log, lines } = logging();
  const words = ['a.', 'x-', 'a://', 'a://b:', 'authorization ', 'cgs_-', 'bearer ', 'cookie:\n', 'cookie"'];
  for (const word of words) log.info({ field: word.repeat(500_000) }, 'long'); // minutes each in quadratic time
  for (const text of [
    `cookie:${'\n'.repeat(7_000_000)}`,
    `cookie${'\n'.repeat(7_000_000)}`,
    `cgs_${'a'.repeat(7_000_000)}`,
  ])
    log.info({ field: text }, 'long');
  expect(lines).toHaveLength(words.length + 3);
});
