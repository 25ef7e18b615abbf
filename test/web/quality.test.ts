/** Quality of metadata on pages and as linked data: for visitors, members and editors, in four languages. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Parser } from 'n3';
import { qualityGraph } from '../../facades/rdf/quality.ts';
import { CHECKS } from '../../src/quality/method.rules.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const DQV = 'http://www.w3.org/ns/dqv#';
let world: World;
let editor: TestUser;
let member: TestUser;

const page = async (path: string, as: TestUser | null = null) => {
  const headers = { accept: 'text/html', ...(as && { authorization: as.key }) };
  return (await world.request(path, { headers })).text;
};
/** The section about quality of a page. */
const section = (html: string): string => /<section id="quality">.*?<\/section>/s.exec(html)?.[0] ?? '';

beforeAll(async () => {
  world = await createWorld();
  [editor, member] = [await world.make.user(), await world.make.user()];
  const organization = await world.make.organization({
    name: 'town',
    members: { [editor.id]: 'editor', [member.id]: 'member' },
  });
  const parts = { ownerOrganization: organization.id, resources: [{ url: 'http://data.test/a', format: 'CSV' }] };
  await world.make.dataset({ name: 'rivers', tags: [{ name: 'water' }], ...parts });
  await world.make.dataset({ name: 'hidden', private: true, ...parts });
});
afterAll(() => world.end());

describe('before the first score', () => {
  it('pages have no section, and there is no linked data', async () => {
    expect(section(await page('/dataset/rivers'))).toBe('');
    expect(await page('/organization/town')).not.toContain('id="quality"');
    expect((await world.request('/dataset/rivers/quality.ttl')).status).toBe(404);
  });
});

describe('after the first score', () => {
  beforeAll(() => world.app.score());

  it('the page shows rating, points, bars and advice', async () => {
    const [row] = await world.database.sql.rows<any>({
      text: `SELECT q.* FROM dataset_quality q JOIN dataset d ON d.id = q.dataset_id WHERE d.name = 'rivers'`,
    });
    const html = section(await page('/dataset/rivers'));
    expect(html).toContain(`${row.points} of 405 points`);
    expect(html).toContain('<th scope="row">Findability</th>');
    expect(html).toContain('<td class="number">30 / 100</td>');
    expect(html).toContain('<rect width="30" height="10"');
    expect(html).not.toMatch(/style=/);
    const missing = [...row.checks].filter((state) => state !== '1').length;
    expect(html.match(/<li>/g)).toHaveLength(missing);
    expect(html).toContain('The link is not checked yet');
    expect(html).toContain('dcat:Dataset dct:description missing');
    expect(html).not.toContain('<a href');
  });

  it('editors get links to the fields', async () => {
    const html = section(await page('/dataset/rivers', editor));
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
    expect(hrefs).toContain('/dataset/edit/rivers#field-licenseId');
    expect(hrefs).toContain('/dataset/edit/rivers#field-extras');
    expect(hrefs).toContain('/dataset/groups/rivers');
    expect(hrefs).toContain('/dataset/resources/rivers');
    for (const href of new Set(hrefs)) {
      const target = await page(href.split('#')[0]!, editor);
      const id = href.split('#')[1];
      if (id !== undefined) expect(target).toContain(`id="${id}"`);
      else expect(target).toContain('<h1');
    }
    expect(section(await page('/dataset/rivers', member))).not.toContain('<a href');
  });

  it.each([
    ['de', 'Qualität der Metadaten', 'Auffindbarkeit'],
    ['fr', 'Qualité des métadonnées', 'Trouvabilité'],
    ['ja', 'メタデータの品質', '見つけやすさ'],
  ])('the section is translated into %s', async (language, title, dimension) => {
    const html = section(await page(`/${language}/dataset/rivers`));
    expect(html).toContain(title);
    expect(html).toContain(dimension);
    // Names of DCAT-AP faults are not translated.
    expect(html.replace(/<code.*?<\/code>/gs, '')).not.toMatch(/\b(?:Add|Select|Set)\b/);
  });

  it('pages of organizations show the mean of readable datasets', async () => {
    const rows = await world.database.sql.rows<any>({
      text: `SELECT d.name, q.points FROM dataset_quality q JOIN dataset d ON d.id = q.dataset_id`,
    });
    const points = Object.fromEntries(rows.map((row) => [row.name, row.points]));
    const line = async (as: TestUser | null) =>
      /<p class="quiet" id="quality">.*?<\/p>/s.exec(await page('/organization/town', as))?.[0];
    expect(await line(null)).toContain(`${points.rivers} of 405 points on average for 1 dataset`);
    expect(await line(member)).toContain(
      `${(points.rivers + points.hidden) / 2} of 405 points on average for 2 datasets`,
    );
  });

  it('linked data has a separate address, in all formats', async () => {
    const { status, text, headers } = await world.request('/dataset/rivers/quality.ttl');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/turtle; charset=utf-8']);
    const quads = new Parser().parse(text);
    const values = new Map<string, string>();
    for (const { subject, object } of quads.filter(({ predicate }) => predicate.value === `${DQV}isMeasurementOf`)) {
      const value = quads.find((it) => it.subject.equals(subject) && it.predicate.value === `${DQV}value`)!;
      values.set(object.value, value.object.value);
    }
    const { quality } = (
      await world.graph('{ dataset(id: "rivers") { quality { points dimensions { checks { name metric state } } } } }')
    ).body.data.dataset;
    expect(values.get('https://piveau.eu/ns/voc#scoring')).toBe(String(quality.points));
    const checks = quality.dimensions.flatMap((it: any) => it.checks);
    expect(new Set(checks.map(({ metric }: any) => metric)).size).toBe(CHECKS.length);
    for (const { metric, state } of checks)
      expect([metric, values.get(metric)]).toEqual([metric, state === 'UNKNOWN' ? undefined : String(state === 'MET')]);
    for (const suffix of ['rdf', 'jsonld', 'n3', 'nt', 'xml'])
      expect((await world.request(`/dataset/rivers/quality.${suffix}`)).status).toBe(200);
    const accept = (type: string) => world.request('/dataset/rivers/quality', { headers: { accept: type } });
    expect((await accept('application/ld+json')).headers.get('content-type')).toMatch('application/ld+json');
    expect((await accept('image/png')).status).toBe(406);
    const etag = headers.get('etag')!;
    expect((await world.request('/dataset/rivers/quality.ttl', { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    );
    expect((await world.request('/dataset/rivers.ttl')).text).not.toContain('dqv');
  });

  it('linked data is sent to authorized readers only', async () => {
    const get = (as: TestUser | null) =>
      world.request('/dataset/hidden/quality.ttl', { headers: as ? { authorization: as.key } : {} });
    expect((await get(null)).status).toBe(403);
    const { status, headers } = await get(member);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect((await world.request('/dataset/nothing/quality.ttl')).status).toBe(404);
  });
});

it('linked data is empty without a score', () => {
  const dataset = { name: 'a', state: 'active', private: false, version: 1, quality: null };
  expect(qualityGraph(dataset as never, 'http://catalog.test').size).toBe(0);
});
