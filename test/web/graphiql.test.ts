/** GraphiQL: the page, its examples, and signed-in users. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createCatalog, type Document } from '../../clients/typescript/src/index.ts';
import { EXAMPLES } from '../../facades/web/graphiql.page.ts';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { openPage, type Page } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const nameOf = (query: string): string => /^(?:query|mutation|subscription) (\w+)/m.exec(query)![1]!;
const FOLLOW = EXAMPLES.find(({ query }) => nameOf(query) === 'Follow')!;
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let world: World;
beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Data of <b>Town</b>' });
  await world.datastore();
});
afterAll(() => world.end());

describe('the page', () => {
  it.each(['/graphql', '/graphql?query=x', '/graphiql'])('is sent to browsers at %s', async (path) => {
    const { status, headers, text } = await world.request(path, { headers: BROWSER });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html;charset=utf-8');
    expect(text).toContain('<title>Data of &#60;b&#62;Town&#60;/b&#62; – GraphiQL</title>');
  });

  it('says to visitors and expired sessions that they are not signed in', async () => {
    const { headers, text } = await world.request('/graphiql');
    expect(text).toContain('Not signed in.');
    expect(text).not.toContain('data-csrf');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('set-cookie')).toBeNull();
    const gone = await world.request('/graphiql', { headers: { cookie: 'catalog_session=cgs_gone' } });
    expect(gone.text).toContain('Not signed in.');
  });

  it('has no inline script and nothing from other hosts', async () => {
    const { headers, text } = await world.request('/graphiql');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self';/);
    expect(text).not.toMatch(/https?:|<script>|<style|javascript:|\son\w+=/);
  });

  it('is not sent to programs', async () => {
    for (const accept of ['application/json', '*/*', 'application/json, text/html']) {
      const answer = await world.request('/graphql?query={site{siteId}}', {
        headers: { accept, 'apollo-require-preflight': '1' },
      });
      expect(answer.body).toMatchObject({ data: { site: { siteId: 'default' } } });
    }
  });
});

describe('its examples', () => {
  it.each(
    EXAMPLES.filter((example) => example !== FOLLOW).map(
      ({ query, variables }) => [nameOf(query), query, variables] as const,
    ),
  )('%s runs without errors', async (_name, query, variables) => {
    const as = /^mutation/m.test(query) ? await world.make.sysadmin() : null;
    const { status, body } = await world.graph(query, variables, { as });
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    for (const { errors = [] } of Object.values(body.data) as { errors?: unknown[] }[]) expect(errors).toEqual([]);
  });

  it('include the table of a resource', async () => {
    const admin = await world.make.sysadmin();
    const { resources } = await world.result(
      'package_create',
      { name: 'levels', resources: [{ url: 'http://example.com/a.csv' }] },
      { as: admin },
    );
    const records = [{ station: 'Bridge', level: 2.4 }];
    await world.result('datastore_create', { resource_id: resources[0].id, force: true, records }, { as: admin });
    const { body } = await world.graph(EXAMPLES.find(({ query }) => nameOf(query) === 'Tables')!.query);
    expect(body.data.search.nodes.find(({ name }: { name: string }) => name === 'levels').resources[0].table).toEqual({
      fields: ['_id', 'station', 'level'].map((id) => expect.objectContaining({ id })),
      records: { totalCount: 1, nodes: [{ _id: 1, ...records[0] }] },
    });
  });

  it('include a subscription to changes', async () => {
    const admin = await world.make.sysadmin();
    const { body } = await world.graph('{ changes { pageInfo { endCursor } } }');
    const follow = { text: FOLLOW.query } as Document<any, { after?: string }>;
    const after = body.data.changes.pageInfo.endCursor;
    await world.result('package_create', { name: 'followed' }, { as: admin });
    for await (const { changes } of createCatalog({ url: world.base }).subscribe(follow, { after }, () => null)) {
      expect(changes).toMatchObject({ operation: 'CREATED', name: 'followed', dataset: { title: 'followed' } });
      break;
    }
  });
});

describe('its files', () => {
  const addresses = async () =>
    [...(await world.request('/graphiql')).text.matchAll(/(?:src|href)="(static[^"]+)"/g)].map(
      ([, path]) => `/${path}`,
    );

  it('exist, may be cached permanently, and are compressed for clients that accept it', async () => {
    const paths = await addresses();
    expect(paths).toHaveLength(4);
    const workers = ['editor', 'graphql', 'json'].map((name) => paths[0]!.replace(/[^/]+$/, `${name}.worker.js`));
    for (const path of [...paths, ...workers]) {
      const answer = await world.request(path);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      const plain = await world.request(path, { headers: { 'accept-encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.text).toBe(answer.text);
    }
  });

  it('do not include other paths', async () => {
    const [first = ''] = await addresses();
    for (const path of [
      first.replace(/[^/]+$/, 'package.json'),
      first.replace(/[^/]+$/, '..%2f..%2fpackage.json'),
      first.replace(/[^/]+$/, '__proto__'),
      first.replace(/\d/, '0'),
      '/static/graphiql/',
      '/static/graphiql/x/graphiql.js',
    ]) {
      expect({ path, status: (await world.request(path)).status }).toEqual({ path, status: 404 });
    }
    expect((await world.request(first, { method: 'POST' })).status).toBe(405);
  });
});

/** JavaScript for the page: finds an editor by its file name, checks its text, or sets its text. */
const editor = (name: string) =>
  `globalThis.monaco?.editor.getEditors().find((it) => it.getModel()?.uri.path.includes('${name}'))`;
const textIn = (name: string, text: string) => `Boolean(${editor(name)}?.getValue().includes(${JSON.stringify(text)}))`;
const setText = (name: string, text: string) => `${editor(name)}.setValue(${JSON.stringify(text)})`;

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'in a browser', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openPage(chromium as string, `${world.base}/graphql`);
  });
  afterAll(() => page?.close());

  it('shows the editor with a first query, runs it, and shows the reference', async () => {
    await page.until(textIn('operation', 'query Start'));
    await page.evaluate(`document.querySelector('.graphiql-execute-button').click()`);
    await page.until(textIn('response', 'contractVersion'));
    expect(await page.evaluate(textIn('response', 'Data of <b>Town</b>'))).toBe(true);
    await page.evaluate(`document.querySelector('[aria-label="Show Documentation Explorer"]').click()`);
    await page.until(`document.querySelector('.graphiql-doc-explorer')?.innerText.includes('Query')`);
  });

  it('has a tab for each example', async () => {
    const names = EXAMPLES.map(({ query }) => nameOf(query));
    await page.until(`document.querySelectorAll('.graphiql-tab').length >= ${EXAMPLES.length}`);
    const tabs = (await page.evaluate(
      `[...document.querySelectorAll('.graphiql-tab')].map((tab) => tab.innerText)`,
    )) as string[];
    expect(tabs.map((text) => text.trim())).toEqual(names);
  });

  it('sends the API key that was entered under Headers', async () => {
    const admin = await world.make.sysadmin();
    const secret = await world.make.dataset({
      name: 'not-public',
      private: true,
      ownerOrganization: (await world.make.organization()).id,
    });
    /** Runs a query until the response has the text. The editor accepts a new text with a delay. */
    const ask = async (headers: object, answer: string) => {
      await page.evaluate(setText('operation', `{ dataset(name: "${secret.name}") { name } }`));
      await page.evaluate(setText('request-headers', JSON.stringify(headers)));
      await page.until(`(() => {
        if (${textIn('response', answer)}) return true;
        document.querySelector('[aria-label^="Execute query"]')?.click();
      })()`);
    };
    await ask({ Authorization: '' }, 'NOT_AUTHORIZED');
    await ask({ Authorization: admin.key }, '"name": "not-public"');
  });

  it('runs a subscription, and stops it on request', async () => {
    const tab = EXAMPLES.indexOf(FOLLOW);
    await page.evaluate(`document.querySelectorAll('.graphiql-tab-button')[${tab}].click()`);
    await page.until(textIn('operation', 'subscription Follow'));
    const shown = (text: string) => textIn('response', text);
    // The editor needs a moment to recognize the subscription, which shows only changes after its start.
    // The loop runs it and makes changes until one is shown.
    const admin = await world.make.sysadmin();
    for (let tries = 0; tries < 500 && !(await page.evaluate(shown('Live'))); tries += 1) {
      await page.evaluate(`document.querySelector('[aria-label^="Execute query"]')?.click()`);
      await world.result('package_create', { name: `live-${tries}`, title: 'Live' }, { as: admin });
    }
    await page.until(shown('"operation": "CREATED"'));
    await page.evaluate(`document.querySelector('[aria-label^="Stop query"]').click()`);
    await page.until(`document.querySelector('[aria-label^="Execute query"]')`);
  });

  it('has space for the response on a phone', async () => {
    await page.evaluate(`document.querySelector('[aria-label="Hide Documentation Explorer"]').click()`);
    await page.tab.setViewportSize({ width: 390, height: 844 });
    const width = (of: string) => `document.querySelector('${of}').getBoundingClientRect().width`;
    await page.until(`${width('.graphiql-response')} > 200 && ${width('.graphiql-query-editor')} > 200`);
  });

  it('requests nothing from other hosts, and reports no error', () => {
    expect(page.problems).toEqual([]);
    expect(page.requests.length).toBeGreaterThan(5);
    expect(page.requests.filter((url) => !url.startsWith(`${world.base}/`) && !url.startsWith('data:'))).toEqual([]);
  });
});

const PASSWORD = 'correct horse';
const ANN = 'Ann <b>of</b> Town';

describeWith('Chromium', chromium !== null, 'in a browser with a session', () => {
  let page: Page;
  let ann: string;
  beforeAll(async () => {
    const as = await world.make.sysadmin();
    const user = { name: 'ann', fullname: ANN, email: 'ann@example.org', password: PASSWORD };
    ann = (await world.result('user_create', user, { as })).id;
    page = await openPage(chromium as string, `${world.base}/graphiql`);
  });
  afterAll(() => page?.close());

  const account = () => page.evaluate(`document.querySelector('#account').innerText`);

  /** Runs a query until the response has the text. The editor takes a moment to accept a new text. */
  async function ask(query: string, answer: string): Promise<void> {
    await page.until(editor('operation'));
    await page.evaluate(setText('operation', query));
    await page.until(`(() => {
      if (${textIn('response', answer)}) return true;
      document.querySelector('[aria-label^="Execute query"]')?.click();
    })()`);
  }

  it('says to a visitor "Not signed in", and runs queries anonymously', async () => {
    expect(await account()).toContain('Not signed in.');
    await ask('{ viewer { name } }', '"viewer": null');
  });

  it('leads to the login and back, shows the signed-in user, and runs queries as that user', async () => {
    await page.tab.click('#account a');
    await page.tab.fill('input[name=login]', 'ann');
    await page.tab.fill('input[name=password]', PASSWORD);
    await page.tab.press('input[name=password]', 'Enter');
    await page.until(`location.pathname === '/graphiql' && document.querySelector('#account')`);
    expect(await account()).toContain(`Signed in as ${ANN}.`);
    await ask('{ viewer { name email } }', '"email": "ann@example.org"');
  });

  it('runs mutations as that user', async () => {
    const user = JSON.stringify(toGlobalId('User', ann));
    await ask(
      `mutation { updateUser(input: { user: ${user}, about: "Mine" }) { user { about } errors { message } } }`,
      '"about": "Mine"',
    );
    expect(await world.result('user_show', { id: 'ann' })).toMatchObject({ about: 'Mine' });
    const picture = process.env.PICTURE; // path of a screenshot for manual review
    if (picture) await page.tab.screenshot({ path: picture });
  });

  it('reports no error', () => {
    expect(page.problems).toEqual([]);
  });
});
