/** Many records in one request: one result per line, the permissions of the sender, and no duplicates after a repeated request. */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.json_body': 100_000 });
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const fresh = (): string => `n-${world.id().slice(0, 8)}`;

async function send(lines: readonly unknown[], as: TestUser | null = admin, type = 'application/x-ndjson') {
  const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const headers = { 'content-type': type, ...(as && { authorization: as.key }) };
  const answered = await world.request('/import', { method: 'POST', body, headers });
  const isLines = answered.headers.get('content-type')!.startsWith('application/x-ndjson');
  const results = isLines
    ? answered.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  const last = results.pop();
  return { ...answered, results: results.sort((a, b) => a.line - b.line), summary: last?.summary };
}

describe('POST /import', () => {
  it('refuses users without permission to create or edit anything before it reads a line', async () => {
    const strict = await createWorld({
      'catalog.auth.create_unowned_dataset': false,
      'catalog.auth.create_dataset_if_not_in_organization': false,
      'catalog.auth.user_create_groups': false,
      'catalog.auth.user_create_organizations': false,
    });
    const [stranger, member, editor, maker] = [
      await strict.make.user(),
      await strict.make.user(),
      await strict.make.user(),
      await strict.make.user(),
    ];
    await strict.make.organization({ members: { [member.id]: 'member', [editor.id]: 'editor' } });
    const { id } = await strict.make.dataset({ ownerOrganization: null } as never);
    await strict.database.db.dataset.update({
      where: { id },
      data: { creatorId: maker.id, ownerOrganizationId: null },
    });
    const post = (as: TestUser) =>
      strict.request('/import', {
        method: 'POST',
        body: 'not JSON\n',
        headers: { 'content-type': 'application/x-ndjson', authorization: as.key },
      });
    for (const user of [stranger, member]) {
      const { status, body } = await post(user);
      expect([status, body]).toEqual([
        403,
        {
          errors: [
            {
              code: 'NOT_AUTHORIZED',
              message: expect.stringMatching(/is not authorized to create or edit anything$/),
              path: [],
            },
          ],
        },
      ]);
    }
    for (const user of [editor, maker]) expect((await post(user)).status).toBe(200);
    await strict.end();
  });

  it('stops after a number of consecutive failures, and reports the line', async () => {
    const few = await createWorld({ 'catalog.limits.import_failures': 3 });
    const body = [
      'bad',
      fresh().replace(/^/, '{"resources":[],"name":"').concat('"}'),
      'bad',
      'bad',
      '',
      'bad',
      'bad',
      'bad',
    ].join('\n');
    const headers = { 'content-type': 'application/x-ndjson', authorization: (await few.make.sysadmin()).key };
    const { text } = await few.request('/import', { method: 'POST', body, headers });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      lines
        .map(({ line }) => line)
        .filter(Boolean)
        .sort(),
    ).toEqual([1, 2, 3, 4, 6]);
    expect(lines.at(-1)).toEqual({
      summary: { created: 1, updated: 0, unchanged: 0, failed: 4 },
      stopped: {
        line: 6,
        code: 'LIMIT',
        message:
          'Stopped after line 6: 3 consecutive lines failed (catalog.limits.import_failures). Later lines were not read. Send them again.',
      },
    });
    await few.end();
  });

  it("counts each line, valid or not, against the user's rate limit", async () => {
    const rated = await createWorld({ 'catalog.rate.users': 100, 'catalog.rate.saved': 1 });
    const user = await rated.make.user();
    const headers = { 'content-type': 'application/x-ndjson', authorization: user.key };
    const post = () => rated.request('/import', { method: 'POST', body: 'bad\n'.repeat(300), headers });
    const lines = (await post()).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { summary, stopped } = lines.at(-1);
    expect(stopped).toEqual({
      line: summary.failed,
      code: 'RATE_LIMIT',
      message: expect.stringContaining('Retry in'),
    });
    expect(summary.failed).toBeGreaterThan(80);
    expect(summary.failed).toBeLessThan(120);
    expect(await post()).toMatchObject({ status: 429, headers: expect.anything() });
    await rated.end();
  });

  it('refuses lines with too many values or too deep nesting, and continues', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const { results } = await send([
      `{"name":${deep}}`,
      `{"id":"x","organization":{"id":${deep}}}`,
      deep,
      `{"name":"wide","extras":[${'1,'.repeat(49_000)}1]}`,
      `{"${'k'.repeat(50_000)}":1}`,
      { name: fresh(), resources: [] },
    ]);
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('failed'), 'created']);
    const at = results.map(({ errors }) => errors?.[0]);
    expect(at[0]).toMatchObject({
      code: 'VALIDATION',
      message: 'Nested deeper than 64 levels',
      path: ['name', ...Array(63).fill(0)],
    });
    expect(at.slice(0, 5).every(({ code, message }) => code === 'VALIDATION' && message.length < 1_000)).toBe(true);
  });

  it('creates, updates, skips or refuses each line separately', async () => {
    const [org, a, b] = [fresh(), fresh(), fresh()];
    const lines = [
      { name: org, title: 'O', is_organization: true },
      { name: a, title: 'A', owner_org: org, resources: [] },
      'not JSON',
      '',
      { name: 'NOT A NAME', resources: [] },
      { name: b, resources: [{ url: 'http://example.com/' }] },
    ];
    const { status, results, summary } = await send(lines);
    expect(status).toBe(200);
    expect(results).toEqual([
      expect.objectContaining({ line: 1, outcome: 'created', name: org }),
      expect.objectContaining({ line: 2, outcome: 'created', name: a }),
      {
        line: 3,
        outcome: 'failed',
        errors: [{ code: 'VALIDATION', message: expect.stringMatching(/^not JSON/), path: [] }],
      },
      {
        line: 5,
        outcome: 'failed',
        name: 'NOT A NAME',
        errors: [{ code: 'VALIDATION', message: expect.any(String), path: ['name'] }],
      },
      expect.objectContaining({ line: 6, outcome: 'created', name: b }),
    ]);
    expect(summary).toEqual({ created: 3, updated: 0, unchanged: 0, failed: 2 });
    const [made, first, , , second] = results as { id: string }[];
    expect((await world.result('organization_show', { id: org })).id).toBe(made!.id);
    expect((await world.result('package_show', { id: a })).id).toBe(first!.id);
    expect((await world.result('package_show', { id: b })).id).toBe(second!.id);

    const revisions = await world.database.db.revision.count();
    const again = await send(lines.slice(0, 2));
    expect(again.summary).toEqual({ created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect(await world.database.db.revision.count()).toBe(revisions);
    const changed = await send([{ name: a, title: 'other', owner_org: org, resources: [] }]);
    expect(changed.summary).toEqual({ created: 0, updated: 1, unchanged: 0, failed: 0 });
    expect((await world.result('package_show', { id: a })).title).toBe('other');
  });

  it('checks permissions for each record', async () => {
    const editor = await world.make.user();
    const own = await world.make.organization({ members: { [editor.id]: 'editor' } });
    const other = await world.make.organization();
    const foreign = await world.make.dataset({ ownerOrganization: other.id });
    const { results } = await send(
      [
        { name: fresh(), owner_org: own.name, resources: [] },
        { name: fresh(), owner_org: other.name, resources: [] },
        { name: foreign.name, title: 'taken', owner_org: other.name, resources: [] },
      ],
      editor,
    );
    expect(results.map(({ outcome, errors = [] }) => [outcome, errors.map((it: { code: string }) => it.code)])).toEqual(
      [
        ['created', []],
        ['failed', ['NOT_AUTHORIZED']],
        ['failed', ['NOT_AUTHORIZED']],
      ],
    );
    expect((await world.result('package_show', { id: foreign.name })).title).not.toBe('taken');
  });

  it('accepts JSON Lines from signed-in users only', async () => {
    expect(await send([{ name: fresh() }], null)).toMatchObject({
      status: 403,
      body: { errors: [{ code: 'NOT_AUTHORIZED' }] },
    });
    expect((await send([{ name: fresh() }], admin, 'text/plain')).status).toBe(415);
    expect((await send([{ name: fresh() }], admin, 'application/json')).status).toBe(415);
    const packed = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip', authorization: admin.key };
    expect((await world.request('/import', { method: 'POST', body: 'x', headers: packed })).status).toBe(415);
    expect((await world.request('/import')).status).toBe(405);
  });

  it('refuses a line that is too long, and continues with the next', async () => {
    const name = fresh();
    const { results } = await send([`{"name": "${'x'.repeat(200_000)}"}`, { name, resources: [] }]);
    expect(results).toEqual([
      {
        line: 1,
        outcome: 'failed',
        errors: [{ code: 'VALIDATION', message: 'The line has more than 100000 bytes', path: [] }],
      },
      expect.objectContaining({ line: 2, outcome: 'created', name }),
    ]);
  });

  it('answers a line before the next is sent, also when chunks split a line', async () => {
    const [first, second] = [fresh(), fresh()];
    const headers = { 'content-type': 'application/x-ndjson', authorization: admin.key };
    const request = httpRequest(`${world.base}/import`, { method: 'POST', headers });
    const answered = new Promise<string>((resolve, reject) => {
      request.on('error', reject).on('response', async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) {
          text += chunk;
          if (text.includes(first) && !request.writableEnded) request.end(`2","resources":[]}`.replace('2', second));
        }
        resolve(text);
      });
    });
    request.write(`{"name":"${first}","resources":[]}\n{"na`);
    request.write('me":"');
    const lines = (await answered)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ name, summary }) => name ?? summary.created)).toEqual([first, second, 2]);
  });

  it('stops when the client disconnects, and does not undo imported lines', async () => {
    const names = Array.from({ length: 300 }, fresh);
    const headers = { 'content-type': 'application/x-ndjson', authorization: admin.key };
    const request = httpRequest(`${world.base}/import`, { method: 'POST', headers });
    const closed = new Promise<void>((resolve) => {
      request.on('error', () => resolve());
      request.on('response', (response) => {
        response.once('data', () => request.destroy());
        response.on('error', () => resolve()).on('close', () => resolve());
      });
    });
    for (const name of names) request.write(`${JSON.stringify({ name, resources: [] })}\n`);
    await closed;
    expect(await world.database.db.dataset.count({ where: { name: names[0]! } })).toBe(1);
    const state = `SELECT count(*)::int AS datasets, (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
      AND pid <> pg_backend_pid() AND state <> 'idle' AND backend_type = 'client backend') AS busy FROM dataset`;
    const look = async () => (await world.database.pool.query(state)).rows[0];
    let before = -1; // until no more datasets arrive
    await until(async () => {
      const { datasets, busy } = await look();
      const isOver = busy === 0 && datasets === before;
      before = datasets;
      return isOver;
    }, look);
    const rest = await send(names.map((name) => ({ name, resources: [] })));
    expect(rest.summary.failed).toBe(0);
    expect(rest.summary.created + rest.summary.unchanged).toBe(300);
  });
});
