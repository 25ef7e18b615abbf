import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { eventsFrom } from './events.ts';
import { type Office, withOffice } from './office.ts';

let { world, editor, make } = {} as Office;
withOffice((office) => {
  ({ world, editor, make } = office);
});

const lines = async (query = '', as: TestUser | null = null) => {
  const { text, status, headers } = await world.request(`/changes?${query}`, {
    headers: as ? { authorization: as.key } : {},
  });
  return {
    status,
    headers,
    lines: text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
};
const end = async (): Promise<string> => (await lines('limit=1000')).lines.at(-1).next;

describe('/changes', () => {
  it('returns a line per change, then a line with the next cursor', async () => {
    const after = await end();
    const { id } = await make('line-1');
    await make('line-2');
    const first = await lines(`after=${after}&limit=1`);
    expect(first.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(first.headers.get('cache-control')).toBe('no-store');
    const [line, last] = first.lines;
    expect(line).toMatchObject({
      operation: 'CREATED',
      objectType: 'DATASET',
      objectId: id,
      name: 'line-1',
      isGone: false,
    });
    expect(last).toEqual({ next: line.cursor, hasMore: true });
    const link = /^<(.+)>; rel="next"$/.exec(first.headers.get('link')!)![1]!;
    const next = await world.request(link);
    expect(next.text).toContain('line-2');
    expect(next.text).not.toContain('line-1');
  });

  it('answers HEAD, and refuses other methods and invalid parameters', async () => {
    const head = await world.request('/changes?wait=60', { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/x-ndjson; charset=utf-8',
    ]);
    expect((await world.request('/changes', { method: 'POST' })).status).toBe(405);
    for (const query of [
      'after=x',
      'limit=x',
      'limit=-1',
      'wait=61',
      'types=NOPE',
      'after=%00',
      'limit=100000',
      'types=,',
    ])
      expect([query, (await world.request(`/changes?${query}`)).status]).toEqual([query, 400]);
    expect((await world.request('/changes?after=x')).body).toEqual({
      error: { code: 'VALIDATION', message: expect.stringContaining('after') },
    });
  });

  it('waits for a change of the requested types', async () => {
    const after = await end();
    const waiting = lines(`after=${after}&wait=30&types=group,dataset`);
    await world.result('vocabulary_create', { name: 'unseen', tags: [] }, { as: await world.make.sysadmin() });
    await make('waited-for');
    expect((await waiting).lines.map(({ name }) => name)).toEqual(['waited-for', undefined]);
  });

  it('can be read with curl', async () => {
    await make('for-curl');
    const { stdout } = await promisify(execFile)('curl', ['-sf', `${world.base}/changes?limit=1000`]);
    expect(stdout).toContain('"name":"for-curl"');
  });
});

describe('/changes as an event stream', () => {
  it('streams new changes, and resumes after the `Last-Event-ID`', async () => {
    const after = await end();
    await make('event-1');
    const first = await eventsFrom(`${world.base}/changes?after=${after}`);
    const [one] = await first.take(1);
    expect(one).toMatchObject({ event: 'change', id: expect.any(String) });
    expect(JSON.parse(one!.data)).toMatchObject({ name: 'event-1', cursor: one!.id });
    await make('event-2');
    expect((await first.take(1)).map(({ data }) => JSON.parse(data).name)).toEqual(['event-2']);
    first.close();
    await make('event-3', { private: true });
    await make('event-4');
    const second = await eventsFrom(`${world.base}/changes`, { 'last-event-id': one!.id! });
    expect((await second.take(2)).map(({ data }) => JSON.parse(data).name)).toEqual(['event-2', 'event-4']);
    second.close();
  });

  it('sends an event id at once, so that a client can resume before the first event', async () => {
    const first = await eventsFrom(`${world.base}/changes`);
    const id = await first.lastId();
    first.close();
    expect(id).toBe(await end());
    await make('while-cut-off');
    const second = await eventsFrom(`${world.base}/changes`, { 'last-event-id': id! });
    expect((await second.take(1)).map(({ data }) => JSON.parse(data).name)).toEqual(['while-cut-off']);
    second.close();
  });

  it('reports a dataset that turned private to late readers too, without its name', async () => {
    const after = await end();
    const watching = await eventsFrom(`${world.base}/changes?after=${after}`);
    const { id } = await make('kept-in-memory');
    await watching.take(1);
    await world.result('package_patch', { id, private: true, name: 'secret-name' }, { as: editor });
    const [gone] = await watching.take(1);
    expect(JSON.parse(gone!.data)).toMatchObject({ operation: 'HIDDEN', objectId: id, name: null, isGone: true });
    const late = await eventsFrom(`${world.base}/changes?after=${after}`);
    const told = await late.take(1);
    expect(told.map(({ data }) => JSON.parse(data).operation)).toEqual(['HIDDEN']);
    watching.close();
    late.close();
  });

  it('refuses streams beyond the limit of a caller until one is closed', async () => {
    const open = await Promise.all([1, 2, 3].map(() => eventsFrom(`${world.base}/changes`)));
    const headers = { accept: 'text/event-stream' };
    const refused = await world.request('/changes', { headers });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'LIMIT']);
    expect(refused.text).toContain('streams_per_caller');
    expect((await world.request('/changes?after=x', { headers })).status).toBe(400);
    open[0]!.close();
    const again = async (): Promise<number> => {
      const next = await eventsFrom(`${world.base}/changes`);
      next.close();
      return next.status;
    };
    await until(async () => (await again()) === 200);
    for (const stream of open) stream.close();
  });

  it('ends when the role of its caller changes', async () => {
    const { token } = await world
      .graph(
        `mutation { createToken(input: { name: "feed", scope: READ }) { created { secret } errors { message } } }`,
        {},
        { as: editor },
      )
      .then(({ body }) => ({ token: body.data?.createToken?.created }));
    expect(token).toBeTruthy();
    const watching = await eventsFrom(`${world.base}/changes`, { authorization: `Bearer ${token.secret}` });
    await world.result(
      'organization_member_create',
      { id: 'office', username: editor.name, role: 'member' },
      { as: await world.make.sysadmin() },
    );
    const events = await watching.take(1);
    expect(events[0]).toMatchObject({ event: 'end' });
    expect(JSON.parse(events[0]!.data).extensions.code).toBe('NOT_AUTHORIZED');
  });
});
