/** Traces, decoded by the official OpenTelemetry messages for Python. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Collector, createCollector, createDecoder, type ReceivedSpan } from '../helpers/collector.ts';
import type { TestUser } from '../helpers/make.ts';
import { hasPython } from '../helpers/python.ts';
import { createReceiver, type Receiver } from '../helpers/receiver.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const hex = (length: number): string =>
  Array.from({ length }, () => Math.floor(Math.random() * 15 + 1).toString(16)).join('');
/** A `traceparent` of a caller. */
const caller = (flags = '01') => {
  const [traceId, spanId] = [hex(32), hex(16)];
  return { traceId, spanId, header: `00-${traceId}-${spanId}-${flags}` };
};

describeWith('python3 with venv', hasPython(), 'opentelemetry-proto 1.45.2', () => {
  let collector: Collector;
  let decoder: Awaited<ReturnType<typeof createDecoder>>;
  let receiver: Receiver;
  let world: World;
  let boss: TestUser;

  beforeAll(async () => {
    collector = await createCollector();
    decoder = await createDecoder(collector);
    receiver = await createReceiver();
    world = await createWorld({
      'catalog.tracing.endpoint': `${collector.url}/`,
      'catalog.tracing.headers': 'api-key=a%20secret,tenant=1',
      'catalog.tracing.service': 'our catalog',
      'catalog.webhooks.allowed_hosts': [receiver.host],
    });
    boss = await world.make.sysadmin();
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    await Promise.all([decoder?.end(), collector?.end(), receiver?.end()]);
  });

  /** The trace of a request that `work` sends with a `traceparent`. */
  async function traceOf(work: (headers: Record<string, string>) => Promise<unknown>) {
    const { traceId, spanId, header } = caller();
    await work({ traceparent: header });
    const { first, spans } = await decoder.trace((it) => it.traceId === traceId && it.kind === 'SPAN_KIND_SERVER');
    expect(first.parentId).toBe(spanId);
    return { first, spans, above: (span: ReceivedSpan) => ancestors(span, spans) };
  }
  /** Names from the root span to this one. */
  function ancestors(span: ReceivedSpan, spans: readonly ReceivedSpan[]): string[] {
    const parent = spans.find(({ spanId }) => spanId === span.parentId);
    if (!parent) return [span.name];
    expect(span.start).toBeGreaterThanOrEqual(parent.start);
    return [...ancestors(parent, spans), span.name];
  }

  it('has one trace per request, from the facade to the statements', async () => {
    await world.make.dataset({ name: 'rivers' });
    const { first, spans, above } = await traceOf((headers) =>
      world.action('package_show', { id: 'rivers' }, { as: boss, headers }),
    );
    expect(first).toMatchObject({
      name: 'POST /api/action/:name',
      failed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/action/:name',
        'http.response.status_code': 200,
        'catalog.facade': 'action',
        'catalog.operation': 'package_show',
      },
    });
    expect(Math.abs(first.start - Date.now())).toBeLessThan(60_000);
    expect(first.end).toBeGreaterThan(first.start);
    expect(spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql').map(above)).toEqual([
      ['POST /api/action/:name', 'identity_by_key'],
      ['POST /api/action/:name', 'query ActionDatasetShow', 'Query.dataset', 'dataset_document_by_ref'],
    ]);
    expect(collector.headers[0]).toMatchObject({ 'api-key': 'a secret', 'content-type': 'application/x-protobuf' });
    expect(decoder.resources[0]).toMatchObject({ 'service.name': 'our catalog' });
  });

  it('marks the fields that failed, and the operations of facades', async () => {
    await world.make.organization({ name: 'press' });
    const failedSpansOf = async (work: (headers: Record<string, string>) => Promise<unknown>) => {
      const { spans } = await traceOf(work);
      return spans.filter(({ failed }) => failed).map(({ name }) => name);
    };
    const graph = (query: string) => (headers: Record<string, string>) => world.graph(query, {}, { headers });
    const show = (headers: Record<string, string>) => world.action('package_show', { id: 'nothing' }, { headers });
    expect((await failedSpansOf(show)).sort()).toEqual(['Query.dataset', 'query ActionDatasetShow']);
    const page = 'datasets(first: 1, after: "wrong") { nodes { name } }';
    expect(await failedSpansOf(graph(`{ ${page} }`))).toEqual(['Query.datasets']);
    expect(await failedSpansOf(graph(`{ ${page} tags(first: 1) { nodes { name } } }`))).toEqual(['Query.datasets']);
    expect(await failedSpansOf(graph(`{ organization(name: "press") { ${page} } }`))).toEqual([
      'Organization.datasets',
    ]);
  });

  it('nests statements under their resolver, with one span for a field inside a list', async () => {
    const owner = await world.make.organization({ name: 'office' });
    for (const name of ['one', 'two', 'three']) await world.make.dataset({ name, ownerOrganization: owner.id });
    const { spans, above } = await traceOf((headers) =>
      world.graph(
        `query Mine { all: datasets(first: 9) { nodes { name revision { message } organization { name followerCount } } }
          tags(first: 2) { nodes { name } } }`,
        {},
        { as: boss, headers },
      ),
    );
    const start = ['POST /graphql', 'query'];
    const names = spans.map((span) => above(span).join(' > '));
    expect(names).toEqual(expect.arrayContaining([start.join(' > '), [...start, 'Query.tags'].join(' > ')]));
    for (const field of [
      'Query.datasets',
      'Query.datasets > Dataset.revision',
      'Query.datasets > Dataset.organization',
    ])
      expect(names.filter((name) => name === `POST /graphql > query > ${field}`)).toHaveLength(1);
    const statements = spans.filter(({ kind }) => kind === 'SPAN_KIND_CLIENT').map(above);
    expect(statements.filter((names) => names.at(-2) === 'Dataset.revision')).toHaveLength(1);
    expect(statements.filter((names) => names.at(-2) === 'Dataset.organization').length).toBeGreaterThan(0);
    expect(JSON.stringify(spans)).not.toMatch(/Mine|"all/);
  });

  it('has the statements of a transaction, of Prisma and of the DataStore', async () => {
    await world.datastore();
    const { id } = await world.make.dataset({ name: 'with-table' });
    const created = await traceOf((headers) =>
      world.result(
        'datastore_create',
        { resource: { package_id: id }, fields: [{ id: 'level', type: 'int' }], records: [{ level: 3 }] },
        { as: boss, headers },
      ),
    );
    const names = created.spans.map((span) => created.above(span).slice(2).join(' > '));
    expect(names).toContainEqual(expect.stringMatching(/> transaction > insert_revision$/));
    expect(names).toContainEqual(expect.stringMatching(/> datastore transaction > /));
    expect(created.spans.some(({ name }) => /^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/.test(name))).toBe(true);
    expect(created.spans.some(({ attributes }) => attributes['db.namespace'] === 'datastore')).toBe(true);
  });

  it("continues a caller's trace per W3C Trace Context, and ignores invalid headers", async () => {
    const show = (headers: Record<string, string>) =>
      world.action('package_show', { id: 'rivers' }, { headers, get: true });
    const { traceId, spanId, header } = caller();
    await show({ traceparent: header, tracestate: 'congo=t61rcWkgMzE, rojo@sys=00f067aa0ba902b7' });
    const { first } = await decoder.trace((it) => it.traceId === traceId && it.kind === 'SPAN_KIND_SERVER');
    expect(first).toMatchObject({ parentId: spanId, state: 'congo=t61rcWkgMzE,rojo@sys=00f067aa0ba902b7' });

    const next = caller();
    const later = `cc-${next.traceId}-${next.spanId}-01-what.the.future.holds`;
    await show({ traceparent: later, tracestate: 'no state' });
    const { first: future } = await decoder.trace((it) => it.traceId === next.traceId && it.parentId === next.spanId);
    expect(future.state).toBe('');

    const unsampled = caller('00');
    await show({ traceparent: unsampled.header });
    const invalid = [
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${hex(32)}-${'0'.repeat(16)}-01`,
      `ff-${hex(32)}-${spanId}-01`,
      `00-${hex(32)}-${spanId}-01-more`,
      `00-${hex(32).toUpperCase().replace(/[0-9]/g, 'A')}-${spanId}-01`,
      `00-${hex(31)}-${spanId}-01`,
      `00-${hex(32)}-${spanId}`,
      `${header}, ${caller().header}`,
      'x'.repeat(10_000),
    ];
    for (const traceparent of invalid) expect((await show({ traceparent })).status).toBe(200);
    const last = await traceOf(show);
    const all = await decoder.all();
    expect(all.filter((span) => span.traceId === unsampled.traceId)).toEqual([]);
    const roots = all.filter(
      ({ parentId, kind, start }) => parentId === '' && kind === 'SPAN_KIND_SERVER' && start >= future.start,
    );
    expect(roots.length).toBe(invalid.length);
    expect(new Set(roots.map((it) => it.traceId)).size).toBe(invalid.length);
    for (const { traceId: made } of roots) expect(invalid.join()).not.toContain(made);
    expect(last.first.end).toBeGreaterThan(0);
  });

  it('links jobs and deliveries to the requests that caused them', async () => {
    const [worker, dispatcher] = await Promise.all([world.app.startWorker(), world.app.startDispatcher()]);
    try {
      const made = await world.graph(
        `mutation { createWebhook(input: { url: "${receiver.url}" }) { webhook { databaseId } errors { message } } }`,
        {},
        { as: boss },
      );
      expect(made.body.data.createWebhook.errors).toEqual([]);
      const { id } = await world.make.dataset({ name: 'linked' });
      const { first, spans } = await traceOf((headers) => {
        const form = new FormData();
        for (const [key, value] of Object.entries({ package_id: id, name: 'a' })) form.set(key, value);
        form.set('upload', new Blob(['a,b\n1,2\n']), 'a.csv');
        return world.request('/api/3/action/resource_create', {
          method: 'POST',
          body: form,
          headers: { ...headers, authorization: boss.key },
        });
      });
      const isCaused = ({ links }: ReceivedSpan) => links.some(({ traceId }) => traceId === first.traceId);
      const job = await decoder.trace((it) => it.name === 'job load' && isCaused(it));
      const delivery = await decoder.trace((it) => it.name === 'webhook delivery' && isCaused(it));
      for (const { first: own } of [job, delivery]) {
        expect(own).toMatchObject({ parentId: '', failed: false });
        expect(own.traceId).not.toBe(first.traceId);
        const link = own.links.find(({ traceId }) => traceId === first.traceId)!;
        expect(spans.map(({ spanId }) => spanId)).toContain(link.spanId);
      }
      expect(job.first.kind).toBe('SPAN_KIND_CONSUMER');
      expect(job.spans.some(({ attributes }) => attributes['db.system.name'])).toBe(true);
      expect(receiver.received.length).toBeGreaterThan(0);
      for (const { headers } of receiver.received) {
        expect(headers.traceparent).toBeUndefined();
        expect(headers.tracestate).toBeUndefined();
      }
    } finally {
      await Promise.all([worker.stop(), dispatcher.stop()]);
    }
  });

  it('has at most 500 spans per trace', async () => {
    const records = Array.from({ length: 40 }, (_, n) =>
      JSON.stringify({ name: `many-${n}`, title: 'Many', resources: [] }),
    );
    let text = '';
    const { first, spans } = await traceOf(async (headers) => {
      ({ text } = await world.request('/import', {
        method: 'POST',
        body: records.join('\n'),
        headers: { ...headers, authorization: boss.key, 'content-type': 'application/x-ndjson' },
      }));
    });
    expect(first.name).toBe('POST /import');
    expect(text).toContain('"created":40');
    expect(spans).toHaveLength(500);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    for (const span of spans) if (span !== first) expect(ids).toContain(span.parentId);
    expect(await world.database.db.dataset.count({ where: { title: 'Many' } })).toBe(40);
  });

  it('puts no request value, statement value or secret into names and attributes', async () => {
    const MARK = 'zqmark';
    const before = (await decoder.all()).length;
    const headers = {
      'x-request-id': MARK,
      'user-agent': MARK,
      referer: `http://${MARK}/`,
      cookie: `session=${MARK}; ${MARK}=1`,
      'x-ckan-api-key': MARK,
      'accept-language': MARK,
      'x-forwarded-for': MARK,
      baggage: `${MARK}=${MARK}`,
      'if-none-match': `"${MARK}"`,
      [`x-${MARK}`]: MARK,
    };
    const table = (await world.database.db.resource.findFirst({ where: { datastoreActive: true } }))!.id;
    const post = (path: string, body: object, more = {}) =>
      world.request(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      });
    const as = { authorization: boss.key };
    const asked = [
      await post('/api/3/action/package_show', { id: MARK, [MARK]: MARK }),
      await post('/api/3/action/package_show', { id: 'rivers' }, { authorization: `Bearer ${MARK}` }),
      await post('/api/3/action/package_search', { q: MARK, fq: `${MARK}:${MARK}`, sort: `${MARK} asc` }, as),
      await post('/api/3/action/package_search', { q: `title:${MARK}`, 'facet.field': ['tags'] }, as),
      await post('/api/3/action/package_create', { name: MARK, title: MARK, notes: MARK, tags: [{ name: MARK }] }, as),
      await post(
        '/api/3/action/user_create',
        { name: `${MARK}s`, email: `${MARK}@a.org`, password: `${MARK}Secret1` },
        as,
      ),
      await post(`/api/3/action/${MARK}`, {}),
      await post('/api/3/action/datastore_search', { resource_id: table, q: MARK, filters: { level: MARK } }, as),
      await post('/api/3/action/datastore_search', { resource_id: MARK, filters: { [MARK]: MARK } }, as),
      await post(
        '/api/3/action/datastore_search_sql',
        { sql: `SELECT level, '${MARK}' AS ${MARK} FROM "${table}"` },
        as,
      ),
      await post('/api/3/action/datastore_search_sql', { sql: `SELECT '${MARK}'::int FROM "${table}"` }, as),
      await post(
        '/api/3/action/datastore_create',
        { resource_id: table, fields: [{ id: MARK, type: 'text' }], records: [{ [MARK]: MARK }], force: true },
        as,
      ),
      await post('/graphql', {
        query: `query ${MARK} { ${MARK}: dataset(name: "${MARK}") { name } }`,
        operationName: MARK,
      }),
      await post('/graphql', {
        query: `query ${MARK}($v: String) { datasets(query: $v) { totalCount } }`,
        variables: { v: MARK },
      }),
      await post('/graphql', { query: MARK }),
      await post(
        '/graphql',
        {
          query: `mutation ${MARK} { createWebhook(input: { url: "https://${MARK}.example/${MARK}" }) { webhook { secret } } }`,
        },
        as,
      ),
      await world.request(`/${MARK}?${MARK}=${MARK}`, { headers }),
      await world.request(`/dataset/${MARK}?${MARK}=${MARK}`, { headers }),
      await world.request(`/dataset/${MARK}.ttl`, { headers }),
      await world.request(`/api/2/rest/dataset/${MARK}`, { headers }),
      await world.request(`/api/3/action/package_show?id=${MARK}&callback=${MARK}`, { headers }),
      await world.request(`/dataset/${MARK}`, { method: 'PROPFIND', headers }),
      await world.request(`/changes?after=${MARK}`, { headers }),
      await world.request(`/datastore/dump/${table}?q=${MARK}&format=${MARK}`, { headers }),
    ];
    expect(asked.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
    expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
    await traceOf((more) => world.action('package_list', {}, { headers: more })); // when its trace has arrived, so have all earlier ones
    const sent = (await decoder.all()).slice(before);
    expect(sent.filter(({ kind }) => kind === 'SPAN_KIND_SERVER').length).toBe(asked.length + 1);
    const texts = JSON.stringify([sent.map(({ name, attributes }) => [name, attributes]), decoder.resources]);
    for (const secret of [MARK, boss.key, table, 'a secret', 'rivers', '127.0.0.1'])
      expect(texts).not.toContain(secret);
    expect(collector.bodies.filter((body) => body.includes(MARK))).toEqual([]);
  });
});
