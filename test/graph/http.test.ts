import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { serverAudits } from 'graphql-http';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const json = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
const post = (body: string, headers: Record<string, string> = json) =>
  world.request('/graphql', { method: 'POST', headers, body });
const get = (query: string, headers: Record<string, string> = {}, more = '') =>
  world.request(`/graphql?query=${encodeURIComponent(query)}${more}`, { headers });
const SITE = '{"query":"{ site { siteId } }"}';

describe('GraphQL over HTTP', () => {
  it('passes all 61 audits', async () => {
    const audits = serverAudits({ url: `${world.base}/graphql`, fetchFn: fetch });
    const levels = { MUST: 0, SHOULD: 0, MAY: 0 };
    const bad: string[] = [];
    for (const audit of audits) {
      const result = await audit.fn();
      levels[audit.name.split(' ')[0] as keyof typeof levels] += 1;
      if (result.status !== 'ok') bad.push(`${result.status} ${audit.id} ${audit.name}: ${result.reason}`);
    }
    expect(bad).toEqual([]);
    expect(levels).toEqual({ MUST: 13, SHOULD: 23, MAY: 25 });
  });
});

describe('a request', () => {
  it('is answered by POST, GET and HEAD', async () => {
    expect((await post(SITE)).body).toMatchObject({ data: { site: { siteId: 'default' } } });
    expect((await get('{ site { siteId } }')).body).toMatchObject({ data: { site: { siteId: 'default' } } });
    const head = await world.request('/graphql?query={site{siteId}}', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10);
  });

  it('by GET takes variables and the operation name from the address', async () => {
    const query = 'query A { site { siteId } } query B($id: String!) { dataset(name: $id) { name } }';
    const { name } = await world.make.dataset();
    const variables = `&variables=${encodeURIComponent(JSON.stringify({ id: name }))}`;
    expect((await get(query, {}, `&operationName=B${variables}`)).body).toMatchObject({ data: { dataset: { name } } });
    expect((await get(query, {}, `&operationName=A&variables=&extensions=`)).status).toBe(200);
    for (const more of [
      '&query=x',
      '&variables={',
      '&variables=[]',
      '&variables=5',
      '&extensions=x',
      '&variables={}&variables={}',
    ])
      expect({ more, status: (await get(query, {}, `&operationName=A${more}`)).status }).toEqual({ more, status: 400 });
    expect((await world.request('/graphql')).status).toBe(400);
  });

  it('is always answered with CORS headers', async () => {
    for (const answer of [await post(SITE), await post('nonsense'), await get('{ nothing }')]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      for (const name of ['credentials', 'methods', 'headers'])
        expect([name, answer.headers.get(`access-control-allow-${name}`)]).toEqual([name, null]);
    }
    const asked = await world.request('/graphql', { method: 'OPTIONS' });
    expect(asked.status).toBe(200);
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(asked.headers.get('access-control-allow-headers')).toContain('X-CATALOG-API-Key');
    // Every API sends the same headers.
    for (const path of ['/graphql', '/api/3/action/status_show']) {
      const { headers } = await world.request(path, { method: 'OPTIONS' });
      const names = headers.get('access-control-allow-headers')!.split(', ');
      expect(names).toEqual(
        expect.arrayContaining(['Content-Type', 'X-Request-Id', world.settings.apikey_header_name]),
      );
      expect(new Set(names).size).toBe(names.length);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-max-age')).toBe('7200');
      expect(headers.get('access-control-expose-headers')).toContain('GraphQL-Cost');
    }
  });

  it('is refused if the body is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"query":"{ site { title } } #'), Buffer.of(0xff), Buffer.from('"}')]);
    const answer = await world.request('/graphql', { method: 'POST', headers: json, body: Uint8Array.from(bytes) });
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, 'The body is not UTF-8']);
  });

  it('gets the HTML page only if it prefers HTML', async () => {
    const typeOf = async (accept: string) => (await get('{ site { title } }', { accept })).headers.get('content-type');
    for (const accept of ['text/html', 'text/html,application/xml;q=0.9,*/*;q=0.8'])
      expect({ accept, type: await typeOf(accept) }).toEqual({ accept, type: 'text/html;charset=utf-8' });
    for (const accept of ['text/html;q=0, */*', '*/*, text/html;q=0.5', 'text/html, application/json', '*/*'])
      expect({ accept, type: await typeOf(accept) }).toEqual({ accept, type: expect.stringContaining('json') });
  });

  it('cannot change data by GET', async () => {
    const changed = await get('mutation { deleteDataset(input: { dataset: "x" }) { errors { code } } }');
    expect(changed.status).toBe(405);
    expect(changed.headers.get('allow')).toContain('POST');
  });

  it('is refused with 405 for PUT, DELETE and PATCH', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await world.request('/graphql', { method, headers: json, body: SITE });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    }
  });

  it.each([
    ['text/plain', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['a form with files', 'multipart/form-data; boundary=x'],
    ['a type that only begins like JSON', 'application/json-patch+json'],
    ['another charset', 'application/json; charset=utf-16'],
  ])('that posts %s is refused with 415', async (_what, type) => {
    const answer = await post(SITE, { ...json, 'content-type': type, 'apollo-require-preflight': '1' });
    expect(answer.status).toBe(415);
    expect(answer.body.errors[0].extensions.code).toBe('BAD_REQUEST');
  });

  it('is refused if compressed, and accepted with an explicit UTF-8 charset', async () => {
    expect((await post(SITE, { ...json, 'content-encoding': 'gzip' })).status).toBe(415);
    for (const type of [
      'application/json;charset=utf-8',
      'Application/JSON; charset="UTF-8"',
      'application/json ; q=1',
    ])
      expect((await post(SITE, { ...json, 'content-type': type })).status).toBe(200);
  });

  it('is answered in the requested media type, or with 406', async () => {
    const answered = async (accept: string) => {
      const { status, headers } = await post(SITE, { ...json, accept });
      return [status, headers.get('content-type')];
    };
    const older = [200, 'application/json; charset=utf-8'];
    const newer = [200, 'application/graphql-response+json; charset=utf-8'];
    expect(await answered('application/graphql-response+json')).toEqual(newer);
    expect(await answered('application/json;q=0.5, application/graphql-response+json')).toEqual(newer);
    expect(await answered('application/graphql-response+json;q=0.1, */*')).toEqual(older);
    expect(await answered('application/*')).toEqual(older);
    expect(await answered('text/html, application/graphql-response+json;charset=utf-8;q=0.9')).toEqual(newer);
    expect((await answered('image/png'))[0]).toBe(406);
    expect((await answered('application/json;q=0, image/*'))[0]).toBe(406);
  });

  it('that accepts no supported media type is refused before it changes anything', async () => {
    const create = `mutation { createDataset(input: { name: "not-made" }) { errors { code } } }`;
    const headers = { ...json, accept: 'text/csv', authorization: admin.key };
    expect((await post(JSON.stringify({ query: create }), headers)).status).toBe(406);
    expect((await world.graph('{ dataset(name: "not-made") { name } }')).body.data.dataset).toBeNull();
  });

  it('that accepts application/json gets 200 for GraphQL errors, and 400 if it is malformed', async () => {
    const older = { ...json, accept: 'application/json' };
    for (const query of ['{', '{ nothing }', 'query ($id: String!) { dataset(name: $id) { name } }'])
      expect(await post(JSON.stringify({ query }), older)).toMatchObject({
        status: 200,
        body: { errors: [{ message: expect.any(String) }] },
      });
    for (const body of ['{', '[]', '{}', '{"query":5}', '{"query":"{ site { siteId } }","variables":[]}'])
      expect((await post(body, older)).status).toBe(400);
  });

  it('is refused if it is a batch', async () => {
    const answer = await post(`[${SITE},${SITE}]`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toContain('Batches are not supported');
  });

  it('is answered with its own request id if valid, else with a new one', async () => {
    const named = async (id: string) => (await post(SITE, { ...json, 'x-request-id': id })).headers.get('x-request-id');
    expect(await named('trace-1.2:3/4+5=')).toBe('trace-1.2:3/4+5=');
    for (const id of ['', 'two words', '"quoted"', 'x'.repeat(129)]) expect(await named(id)).toMatch(/^[0-9a-f-]{36}$/);
    for (const answer of [
      await post('{'),
      await post(SITE, { ...json, accept: 'image/png' }),
      await get('{ site { siteId } }'),
    ])
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('with several operations runs the one it names', async () => {
    const query = 'query A { site { siteId } } query B { site { title } }';
    expect((await post(JSON.stringify({ query, operationName: 'B' }))).body.data).toEqual({
      site: { title: 'Catalog Gateway' },
    });
    for (const operationName of [undefined, 'C', ''])
      expect((await post(JSON.stringify({ query, operationName }))).status).toBe(400);
  });

  it('can introspect the whole schema', async () => {
    const answer = await world.graph(getIntrospectionQuery());
    expect(answer.body.errors).toBeUndefined();
    // A schema that grows by a half must still be read in one request.
    expect(answer.body.extensions.cost.total).toBeLessThan(answer.body.extensions.cost.allowed / 1.5);
    expect(answer.body.data.__schema.types.length).toBeGreaterThan(20);
  });
});

describe('an answer', () => {
  const ask = async (query: string, encoding: string) => {
    const headers = { ...json, 'accept-encoding': encoding };
    const answer = await post(JSON.stringify({ query }), headers);
    return {
      answer,
      encoding: answer.headers.get('content-encoding'),
      length: Number(answer.headers.get('content-length')),
    };
  };
  const LONG = '{ __schema { types { name description } } }';

  it('is compressed if it is long and the client accepts it', async () => {
    const plain = await ask(LONG, 'identity');
    expect(plain.encoding).toBeNull();
    for (const [asked, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0.1, gzip', 'gzip'],
    ] as const) {
      const packed = await ask(LONG, asked);
      expect(packed.encoding).toBe(encoding);
      expect(packed.length).toBeLessThan(plain.length / 2);
      expect(packed.answer.text).toBe(plain.answer.text);
    }
  });

  it('is not compressed if it is short', async () => {
    expect((await ask('{ site { siteId } }', 'gzip, br')).encoding).toBeNull();
  });

  it('has the headers vary, no-store and nosniff', async () => {
    for (const { answer } of [await ask(LONG, 'br'), await ask('{', 'identity')]) {
      expect(answer.headers.get('vary')).toMatch(/^Accept, Accept-Encoding, /);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});
