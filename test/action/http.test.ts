/** HTTP around the actions: HEAD, unknown paths, connections. */
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let name: string;
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' }, { counts: true });
  name = (await world.make.dataset()).name;
});
afterAll(() => world.end());

/** Headers that describe the body of the response. */
const told = (headers: Headers): Record<string, string | null> =>
  Object.fromEntries(['content-type', 'content-length', 'etag', 'cache-control'].map((key) => [key, headers.get(key)]));

describe('HEAD of an action', () => {
  it.each(['/api/3/action', '/api/action', '/de/api/3/action'])('equals GET without a body at %s', async (path) => {
    for (const action of [
      `package_show?id=${name}`,
      'package_show?id=nope',
      'package_show',
      'package_create',
      'nope',
    ]) {
      const [head, get] = [
        await world.request(`${path}/${action}`, { method: 'HEAD' }),
        await world.request(`${path}/${action}`),
      ];
      expect({ action, text: head.text, status: head.status }).toEqual({ action, text: '', status: get.status });
      expect(told(head.headers)).toEqual(told(get.headers));
    }
  });

  it('returns 304 for a matching If-None-Match', async () => {
    const path = `/api/3/action/package_show?id=${name}`;
    const etag = (await world.request(path)).headers.get('etag')!;
    const { status } = await world.request(path, { method: 'HEAD', headers: { 'if-none-match': etag } });
    expect(status).toBe(304);
  });
});

describe('an unknown path under /api', () => {
  const NONE = [
    '/api/3/nope',
    '/api/4/action/site_read',
    '/api/3/action',
    '/api/3/action/a/b',
    '/de/api/nope',
    '/api/9',
  ];

  it.each(NONE)('returns 404 as JSON: %s', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const { status, headers, body } = await world.request(path, { method });
      expect({ status, type: headers.get('content-type'), body }).toEqual({
        status: 404,
        type: 'application/json;charset=utf-8',
        body: 'Not found - No such page',
      });
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('returns 404 as JSON for an unsupported method of an action', async () => {
    const { status, headers } = await world.request('/api/3/action/site_read', { method: 'PUT' });
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json;charset=utf-8']);
  });

  it('sends no SQL statement, even with credentials', async () => {
    const asked = () => world.request('/api/nope', { headers: { cookie: 'catalog_session=x', authorization: 'x' } });
    expect(await world.statementsOf(asked)).toEqual([]);
  });

  it('does not include paths such as /apiary', async () => {
    const { status, headers } = await world.request('/apiary');
    expect([status, headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')]);
  });
});

describe('connections', () => {
  it('stay open longer than those of a proxy', async () => {
    const { keepAliveTimeout, headersTimeout } = world.app.server;
    expect(keepAliveTimeout).toBe(75_000);
    expect(headersTimeout).toBeGreaterThan(keepAliveTimeout);
    expect((await world.request('/api/3')).headers.get('keep-alive')).toBe('timeout=75');
  });

  it('are closed when they become idle while the server closes', async () => {
    const other = await createWorld({}, { counts: true });
    const agent = new http.Agent({ keepAlive: true });
    const headers = { 'content-type': 'application/json', expect: '100-continue' };
    const request = http.request(`${other.base}/api/3/action/site_read`, { agent, method: 'POST', headers });
    const answered = new Promise<void>((resolve, reject) => {
      request.on('response', (response) => response.resume().on('end', resolve)).on('error', reject);
    });
    request.write('{');
    await Promise.race([once(request, 'continue'), answered]); // the server has received it
    const ended = other.app.close(); // and not `other.end()`, which cuts connections
    request.end('}');
    await answered;
    await ended;
    agent.destroy();
    await other.database.close();
  }, 60_000); // less than the keep-alive timeout of an idle connection
});
