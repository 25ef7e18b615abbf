/** The Model interface of versions 1 and 2: statuses, Location, response shapes, JSONP and permissions. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.auth.create_dataset_if_not_in_organization': false });
  admin = await world.make.user({ name: 'admin', sysadmin: true });
  stranger = await world.make.user({ name: 'stranger' });
});
afterAll(() => world.end());

const send = (method: string, path: string, body?: unknown, as: TestUser | null = admin, headers = {}) =>
  world.request(path, {
    method,
    headers: { ...(as && { authorization: as.key }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const get = (path: string, as: TestUser | null = null) => send('GET', path, undefined, as);

describe('datasets', () => {
  it('creates, shows by name and id, updates and deletes a dataset', async () => {
    const group = await world.result('group_create', { name: 'water' }, { as: admin });
    const made = await send('POST', '/api/2/rest/dataset', {
      name: 'rivers',
      tags: ['wet'],
      groups: [group.id],
      extras: { a: '1', b: '2' },
      resources: [{ url: 'http://example.org/rivers.csv' }],
    });
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(made.headers.get('location')).toBe(`http://catalog.test/api/2/rest/dataset/${id}`);
    expect(made.body).toMatchObject({ name: 'rivers', groups: [group.id], tags: ['wet'], extras: { a: '1', b: '2' } });
    const first = await get('/api/1/rest/package/rivers');
    expect(first.body).toMatchObject({ id, groups: ['water'], download_url: 'http://example.org/rivers.csv' });
    expect((await get('/api/rest/dataset')).body).toEqual(['rivers']);
    expect((await get('/api/2/rest/dataset')).body).toEqual([id]);
    const put = await send('PUT', '/api/1/rest/dataset/rivers', { title: 'Rivers', extras: { a: null, c: '3' } });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ title: 'Rivers', tags: ['wet'], groups: ['water'] });
    expect(put.body.extras).toEqual({ b: '2', c: '3' });
    expect((await send('POST', `/api/2/rest/dataset/${id}`, { notes: '*x*' })).body.notes_rendered).toBe(
      '<p><em>x</em></p>',
    );
    expect((await get('/api/2/rest/dataset/rivers/revisions')).body).toHaveLength(3);
    const gone = await send('DELETE', '/api/2/rest/dataset/rivers');
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect((await get('/api/2/rest/dataset/rivers')).status).toBe(403);
    expect((await send('PUT', '/api/2/rest/dataset/rivers', { state: 'active' })).body.state).toBe('active');
  });

  it('updates a dataset only if If-Match has the current version', async () => {
    const etag = (await get('/api/2/rest/dataset/rivers')).headers.get('etag')!;
    expect((await send('GET', '/api/2/rest/dataset/rivers', undefined, null, { 'if-none-match': etag })).status).toBe(
      304,
    );
    expect((await send('PUT', '/api/2/rest/dataset/rivers', { notes: 'x' }, admin, { 'if-match': etag })).status).toBe(
      200,
    );
    expect((await send('PUT', '/api/2/rest/dataset/rivers', { notes: 'y' }, admin, { 'if-match': etag })).status).toBe(
      409,
    );
    expect((await send('PUT', '/api/2/rest/dataset/rivers', { notes: 'y' }, admin, { 'if-match': 'x' })).status).toBe(
      400,
    );
  });

  it('refuses If-Match on a rating', async () => {
    const rating = { package: 'rivers', rating: 3 };
    expect(await send('POST', '/api/2/rest/rating', rating, admin, { 'if-match': '"1"' })).toMatchObject({
      status: 400,
      body: 'Bad request - If-Match is not supported here; omit the header',
    });
    expect((await get('/api/2/rest/dataset/rivers')).body.ratings_count).toBe(0);
  });

  it("takes extras as an object or as pairs, and refuses the Action API's list of dictionaries", async () => {
    const make = (fields: object) => send('POST', '/api/1/rest/dataset', { name: 'pairs', ...fields });
    expect(await make({ extras: ['a'] })).toMatchObject({
      status: 409,
      body: { extras: ['Must be an object of keys and values'] },
    });
    const wrong = { status: 409, body: { extras: ['Must be an object of keys and values'] } };
    for (const extras of [
      [
        { key: 'a', value: 'b' },
        { key: 'c', value: 'd' },
      ],
      [['a', 'b'], { key: 'c', value: 'd' }],
    ])
      expect(await make({ extras })).toMatchObject(wrong);
    expect(
      await make({
        extras: [
          ['a', 'b'],
          ['a', 'c'],
        ],
      }),
    ).toMatchObject({
      status: 409,
      body: { extras: ['"a" has more than one value'] },
    });
    expect(
      (
        await make({
          extras: [
            ['a', 'b'],
            ['c', null],
          ],
          resources: [{}],
        })
      ).body,
    ).toMatchObject({
      extras: { a: 'b' },
      resources: [],
    });
    // A version 3 body sent here by mistake changes nothing.
    const change = await send('PUT', '/api/1/rest/dataset/pairs', { title: 'x', extras: [{ key: 'a', value: 'z' }] });
    expect(change).toMatchObject(wrong);
    expect((await get('/api/1/rest/dataset/pairs')).body).toMatchObject({ title: 'pairs', extras: { a: 'b' } });
    const group = await send('POST', '/api/1/rest/group', { name: 'pairs', extras: [{ key: 'a', value: 'z' }] });
    expect(group).toMatchObject(wrong);
    expect(
      (
        await send('PUT', '/api/1/rest/dataset/pairs', {
          extras: [
            ['a', null],
            ['d', 1],
          ],
        })
      ).body,
    ).toMatchObject({
      extras: { d: '1' },
    });
    expect((await send('DELETE', '/api/1/rest/dataset/pairs')).status).toBe(200);
  });

  it('refuses to change the id', async () => {
    for (const id of ['another', 'anotherId', 'ownerOrganization', 'constructor']) {
      const { status, body } = await send('PUT', '/api/2/rest/dataset/rivers', { id });
      expect([status, body]).toEqual([409, { [id]: [expect.stringContaining('read-only')] }]); // as recorded
    }
  });

  it('returns 403 without a key, with an invalid key and without permission', async () => {
    const refused = [
      await send('POST', '/api/2/rest/dataset', { name: 'no' }, null),
      await send('POST', '/api/2/rest/dataset', '{bad', null),
      await send('PUT', '/api/2/rest/dataset/nope', {}, null),
      await send('POST', '/api/2/rest/dataset', { name: 'no' }, { ...stranger, key: 'bad' }),
      await send('PUT', '/api/2/rest/dataset/rivers', { title: 'x' }, stranger),
      await send('DELETE', '/api/2/rest/dataset/rivers', undefined, stranger),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    for (const { body } of refused) expect(body).toMatch(/^Access denied/);
  });

  it('returns 400 for malformed requests, 409 for invalid values and 404 for unknown objects', async () => {
    expect(await send('POST', '/api/2/rest/dataset', '{bad')).toMatchObject({
      status: 400,
      body: expect.stringMatching(/^Bad request - JSON Error/),
    });
    expect((await send('POST', '/api/2/rest/dataset', '[]')).status).toBe(400);
    expect((await send('POST', '/api/2/rest/dataset', '')).status).toBe(400);
    expect(await send('POST', '/api/2/rest/dataset', { name: 'rivers' })).toMatchObject({
      status: 409,
      body: { name: ['That URL is already in use.'] },
    });
    expect(await get('/api/2/rest/dataset/nope')).toMatchObject({ status: 404, body: 'Not found' });
    for (const [method, path] of [
      ['PUT', '/api/2/rest/dataset'],
      ['DELETE', '/api/2/rest/dataset'],
      ['PATCH', '/api/2/rest/dataset/rivers'],
      ['HEAD', '/api/2/rest/dataset/rivers'],
      ['GET', '/api/3/rest/dataset'],
      ['GET', '/api/2/rest/bogus'],
      ['GET', '/api/2/rest/dataset/rivers/bogus'],
    ] as const)
      expect([path, (await send(method, path)).status]).toEqual([path, 404]);
    expect((await send('POST', '/api/2/rest/tag', { name: 'x1' })).body).toBe(
      'Bad request - Cannot create new entity of this type: tag None',
    );
    expect((await get('/api/2/rest/user')).body).toBe('Bad request - Cannot list entity of this type: user');
  });

  it('wraps responses for JSONP, only anonymously and with a plain callback name', async () => {
    const { text, headers } = await get('/api/2/rest/dataset/rivers?callback=cb', admin);
    expect(text).toMatch(/^\/\*\*\/cb\(\{.*\}\);$/s);
    expect(headers.get('content-type')).toContain('application/javascript');
    expect((await get('/api/2/rest/dataset/rivers?callback=alert(1)//')).status).toBe(400);
    const secret = await world.make.organization({ name: 'closed' });
    await world.make.dataset({ name: 'secret', ownerOrganization: secret.name, private: true });
    expect((await get('/api/2/rest/dataset/secret', admin)).status).toBe(200);
    expect((await get('/api/2/rest/dataset/secret?callback=cb', admin)).status).toBe(403);
  });
});

describe('the other registers', () => {
  it('creates, updates, lists and deletes groups', async () => {
    const made = await send('POST', '/api/1/rest/group', { name: 'land', packages: ['rivers'], extras: { a: 'b' } });
    expect(made).toMatchObject({ status: 201, body: { packages: ['rivers'], extras: { a: 'b' } } });
    expect(made.headers.get('location')).toBe(`http://catalog.test/api/1/rest/group/${made.body.id}`);
    const put = await send('PUT', '/api/2/rest/group/land', { extras: { a: null, c: 'd' } });
    expect(put.body).toMatchObject({ extras: { c: 'd' }, packages: [expect.stringMatching(/-/)] });
    expect((await get('/api/1/rest/group')).body).toEqual(['land', 'water']);
    expect((await get('/api/2/rest/group')).body).toContain(made.body.id);
    expect((await send('DELETE', '/api/1/rest/group/land')).status).toBe(200);
    expect((await send('DELETE', '/api/1/rest/group/nope')).status).toBe(404);
    await world.make.organization({ name: 'office' });
    await world.result('package_create', { name: 'owned', owner_org: 'office' }, { as: admin });
    const changed = await send('PUT', '/api/1/rest/group/office', { title: 'Office' }); // as group_update does
    expect(changed).toMatchObject({ status: 200, body: { title: 'Office', packages: ['owned'] } });
    expect((await get('/api/1/rest/group/office')).status).toBe(404);
  });

  it('serves relationships at every form of their address', async () => {
    await world.make.dataset({ name: 'lakes' });
    const path = '/api/1/rest/dataset/rivers/depends_on/lakes';
    const link = { subject: 'rivers', object: 'lakes', type: 'depends_on', comment: 'c' };
    const made = await send('POST', path, { comment: 'c' });
    expect(made).toMatchObject({ status: 201, body: link });
    expect(made.headers.get('location')).toBe(`http://catalog.test${path}`);
    expect((await get(path)).body).toEqual(link);
    for (const list of ['relationships', 'relationships/lakes', 'depends_on'])
      expect((await get(`/api/2/rest/dataset/rivers/${list}`)).body).toEqual([link]);
    expect((await get('/api/2/rest/package/lakes/dependency_of')).body).toMatchObject([{ object: 'rivers' }]);
    expect((await get('/api/2/rest/dataset/rivers/child_of')).body).toEqual([]);
    expect((await get('/api/2/rest/dataset/rivers/child_of/lakes')).status).toBe(404);
    expect((await send('PUT', path, { comment: 'd' })).body).toMatchObject({ comment: 'd' });
    expect((await get('/api/1/rest/dataset/rivers')).body.relationships).toEqual([{ ...link, comment: 'd' }]);
    expect((await send('DELETE', path)).status).toBe(200);
    expect((await send('DELETE', path)).status).toBe(404);
    const registered = { object: 'lakes', type: 'derives_from', comment: '' };
    expect((await send('POST', '/api/1/rest/dataset/rivers/relationships', registered)).body).toMatchObject(registered);
  });

  it('serves tags, revisions, licenses, ratings, related items and activities', async () => {
    const { id } = (await get('/api/2/rest/dataset/rivers')).body;
    expect((await get('/api/1/rest/tag')).body).toEqual(['wet']);
    expect((await get('/api/1/rest/tag/wet')).body).toEqual(['rivers']);
    expect((await get('/api/2/rest/tag/wet')).body).toEqual([id]);
    expect((await get('/api/2/tag_counts')).body).toEqual([['wet', 1]]);
    const [revision] = (await get('/api/2/rest/dataset/rivers/revisions')).body;
    expect((await get('/api/2/rest/revision')).body).toContain(revision.id);
    expect((await get(`/api/2/rest/revision/${revision.id}`)).body).toMatchObject({ id: revision.id });
    expect((await get('/api/2/rest/licenses')).body).toContainEqual(
      expect.objectContaining({ id: 'cc-by', is_okd_compliant: true, tags: [], date_created: null }),
    );
    expect(await send('POST', '/api/2/rest/rating', { package: 'rivers', rating: 4 })).toMatchObject({
      status: 201,
      body: { 'rating average': 4, 'rating count': 1 },
    });
    expect(await send('POST', '/api/2/rest/rating', { package: 'rivers', rating: 9 })).toMatchObject({
      status: 409,
      body: { message: 'Rating must be between 1 and 5.' },
    });
    expect((await send('POST', '/api/2/rest/rating', {}, null)).status).toBe(403);
    const item = await send('POST', '/api/2/rest/related', { title: 'T', type: 'idea', dataset_id: id });
    expect(item).toMatchObject({ status: 201, body: { title: 'T', featured: 0 } });
    expect((await get('/api/2/rest/related')).body).toHaveLength(1);
    expect((await get(`/api/2/rest/related/${item.body.id}`)).body.__extras).toEqual({ view_count: 0 });
    expect((await send('DELETE', `/api/2/rest/related/${item.body.id}`)).status).toBe(200);
    expect((await get('/api/2/rest/dataset/rivers/activity')).status).toBe(200);
    expect((await get('/api/2/rest/user/admin/dashboard_activity')).status).toBe(403);
  });
});

it('redirects old page addresses to the new ones', async () => {
  const { status, headers } = await world.request('/package/rivers', { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([302, '/dataset/rivers']);
});
