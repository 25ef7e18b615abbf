/** The pages of background jobs for system administrators, and of the load of a resource for its editors. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { enqueue } from '../../src/jobs/queue.service.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage } from '../helpers/browser.ts';
import { loadingIn } from '../helpers/loading.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const LOGIN =
  'mutation ($login: String!, $password: String!) { login(input: { login: $login, password: $password }) { session { secret } } }';
const ERROR = 'Line 3: <b>4</b> values, but 2 columns';

let world: World;
const cookies: Record<string, string> = { visitor: '' };
let csv: string;
let link: string;
let load: string;
let harvest: string;

beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.rows': 3 });
  await world.datastore();
  const boss = await world.make.sysadmin();
  const ids: Record<string, string> = {};
  for (const name of ['root', 'editor', 'member']) {
    const user = { name, email: `${name}@example.org`, password: 'correct horse', sysadmin: name === 'root' };
    ids[name] = (await world.result('user_create', user, { as: boss })).id;
    const { body } = await world.graph(LOGIN, { login: name, password: 'correct horse' });
    cookies[name] = `catalog_session=${body.data.login.session.secret}`;
  }
  const members = { [ids.editor!]: 'editor', [ids.member!]: 'member' } as const;
  const office = await world.make.organization({ members });
  const dataset = await world.make.dataset({ name: 'rivers', title: 'Rivers & lakes', ownerOrganization: office.id });
  const { upload } = loadingIn(world, () => boss);
  csv = (await upload('resource_create', { package_id: 'rivers', name: 'Levels' }, 'levels.csv', 'a,b\n1,2\n')).id;
  const page = { package_id: 'rivers', name: 'A page', url: 'https://example.org/page.html', format: 'HTML' };
  link = (await world.result('resource_create', page, { as: boss })).id;
  load = (await jobs('load'))[0].databaseId;
  const call = world.app.callAs(world.system);
  for (let n = 0; n < 4; n += 1)
    await enqueue(call, { kind: 'words', subjectType: 'resource', subjectId: `r${n}`, datasetId: dataset.id });
  harvest = (await enqueue(call, { kind: 'harvest', subjectType: 'harvest_source', subjectId: 'source-1' })).id;
  await end(load, 'failed', ERROR);
});
afterAll(() => world.end());

/** No worker runs, so jobs stay in the state that the test sets. */
const end = (id: string, state: string, error: string | null = null) =>
  world.app.callAs(world.system).db.job.update({ where: { id }, data: { state, error, finishedAt: new Date() } });
const jobs = async (kind: string): Promise<any[]> => {
  const query = `{ jobs(where: { kind: "${kind}" }) { nodes { databaseId state } } }`;
  return (await world.graph(query, {}, { as: await world.make.sysadmin() })).body.data.jobs.nodes;
};
const stateOf = async (kind: string) => (await jobs(kind))[0].state;
const get = (path: string, role = 'root') =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', cookie: cookies[role]! } });
async function post(path: string, fields: Record<string, string>, role = 'root') {
  const { text, headers } = await get('/user/reset', role);
  const token = /name="_csrf_token" value="([^"]+)"/.exec(text)![1]!;
  const cookie = cookies[role] || headers.get('set-cookie')!.split(';')[0]!;
  const body = new URLSearchParams({ _csrf_token: token, ...fields });
  return world.request(path, { method: 'POST', redirect: 'manual', headers: { cookie, accept: 'text/html' }, body });
}
const items = (text: string) => [...text.matchAll(/<li id="job-([^"]+)"/g)].map(([, id]) => id);

const chromium: string | null = ensureChromium();
const PICTURES = join(projectRoot, '.cache/pictures');
describeWith('chromium', chromium !== null, 'in a browser', () => {
  it.each(['', '/de'])('the pages fit any width, with the prefix "%s"', async (prefix) => {
    const { key } = (await world.make.sysadmin()) as { key: string };
    const page = await openPage(chromium!, `${world.base}/about`, { extraHTTPHeaders: { authorization: key } });
    mkdirSync(PICTURES, { recursive: true });
    const paths = {
      list: '/ckan-admin/jobs',
      form: `/dataset/rivers/resource/${csv}/edit`,
      all: '/dataset/resources/rivers',
    };
    for (const [name, path] of Object.entries(paths))
      for (const width of [390, 1440]) {
        await page.tab.setViewportSize({ width, height: 900 });
        await page.tab.emulateMedia({ colorScheme: width === 390 ? 'dark' : 'light' });
        await page.tab.goto(world.base + prefix + path);
        const file = join(PICTURES, `jobs-${name}${prefix.replace('/', '-')}-${width}.png`);
        writeFileSync(file, await page.tab.screenshot());
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    await page.close();
    expect(page.problems).toEqual([]);
  });
});

describe('/ckan-admin/jobs', () => {
  it.each([
    ['visitor', 303],
    ['member', 403],
    ['editor', 403],
    ['root', 200],
  ])('answers a %s with %i', async (role, status) => {
    const answer = await get('/ckan-admin/jobs', role);
    expect([answer.status, answer.text.includes('Index words')]).toEqual([status, status === 200]);
    const sent = await post(`/ckan-admin/jobs/${load}`, { verb: 'nothing' }, role);
    expect(sent.status).toBe(role === 'visitor' ? 303 : status === 200 ? 303 : 403);
  });

  it('lists jobs newest first, page by page', async () => {
    const seen: string[] = [];
    let path: string | null = '/ckan-admin/jobs';
    while (path !== null) {
      const { text, status } = await get(path);
      expect([status, text.includes('6 jobs')]).toEqual([200, true]);
      seen.push(...(items(text) as string[]));
      path = /<a href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null;
    }
    expect(seen).toHaveLength(6);
    expect([seen[0], seen.at(-1)]).toEqual([harvest, load]);
  });

  it('filters by state and kind, with the error as text and links to the resource', async () => {
    const { text } = await get('/ckan-admin/jobs?state=failed&kind=load');
    expect(items(text)).toEqual([load]);
    expect(text).toContain('Line 3: &lt;b>4&lt;/b> values, but 2 columns');
    expect(text).toContain(`<a href="/dataset/rivers/resource/${csv}">Rivers &amp; lakes</a>`);
    expect(text).toMatch(/Queued<span class="number"> 0<\/span>/);
    expect(items((await get('/ckan-admin/jobs?kind=harvest')).text)).toEqual([harvest]);
    expect((await get('/ckan-admin/jobs?state=done')).text).toContain('No jobs');
  });

  it.each([
    ['?state=odd&kind=odd&after=', 200],
    ['?state=failed&state=done', 200],
    ['?after=odd', 422],
  ])('answers %s with %i', async (query, status) => {
    expect((await get(`/ckan-admin/jobs${query}`)).status).toBe(status);
  });

  it('cancels and retries a job, and returns to the same list', async () => {
    const fields = { state: 'QUEUED', kind: 'harvest' };
    const cancelled = await post(`/ckan-admin/jobs/${harvest}`, { ...fields, verb: 'cancel' });
    expect(cancelled.headers.get('location')).toBe('/ckan-admin/jobs?state=queued&kind=harvest');
    expect(await stateOf('harvest')).toBe('CANCELLED');
    expect((await post(`/ckan-admin/jobs/${harvest}`, { verb: 'retry' })).status).toBe(303);
    expect(await stateOf('harvest')).toBe('QUEUED');
  });

  it('shows beside the job why it cannot be retried, and answers for unknown jobs', async () => {
    const { status, text } = await post(`/ckan-admin/jobs/${harvest}`, { verb: 'retry', kind: 'harvest' });
    expect(status).toBe(409);
    const item = text.slice(text.indexOf(`id="job-${harvest}"`));
    expect(item).toContain('Only a failed or cancelled job can be retried.');
    expect((await post('/ckan-admin/jobs/nothing', { verb: 'retry' })).status).toBe(404);
    expect((await post('/ckan-admin/jobs/nothing', {})).status).toBe(303);
  });
});

describe('the load of a resource', () => {
  const edit = () => `/dataset/rivers/resource/${csv}/edit`;

  it('is on its form and in the list of resources, with the error', async () => {
    for (const path of [edit(), '/dataset/resources/rivers']) {
      const { text } = await get(path, 'editor');
      expect(text).toContain('Line 3: &lt;b>4&lt;/b> values, but 2 columns');
      expect(text).toContain(`action="/dataset/rivers/resource/${csv}/load"`);
    }
    expect((await get(`/dataset/rivers/resource/${link}/edit`, 'editor')).text).not.toContain('id="table"');
  });

  it('cannot be started by visitors and members', async () => {
    for (const [role, status] of [
      ['visitor', 303],
      ['member', 403],
    ] as const)
      expect((await post(`/dataset/rivers/resource/${csv}/load`, {}, role)).status).toBe(status);
    expect(await jobs('load')).toHaveLength(1);
  });

  it('starts again', async () => {
    const { status, headers } = await post(`/dataset/rivers/resource/${csv}/load`, {}, 'editor');
    expect([status, headers.get('location')]).toEqual([303, edit()]);
    expect(await stateOf('load')).toBe('QUEUED');
    const { text } = await get(edit(), 'editor');
    expect(text).not.toContain('/load"');
    const again = await post(`/ckan-admin/jobs/${load}`, { verb: 'retry', state: 'FAILED' });
    expect([again.status, again.text.includes('class="notice bad"')]).toEqual([409, true]);
  });

  it('is refused beside the resource, with the reason', async () => {
    const { status, text } = await post(`/dataset/rivers/resource/${link}/load`, {}, 'editor');
    expect([status, text.includes('Files of this format are not loaded')]).toEqual([422, true]);
    expect((await post('/dataset/rivers/resource/nothing/load', {}, 'editor')).status).toBe(404);
  });
});
