/** Single records of `catalog import`: their kind, name clashes, parents and invalid resources. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importFile } from '../../src/cli/import.ts';
import { tablesCheck } from '../../src/datastore/tables/sweep.service.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let strict: World;
beforeAll(async () => {
  [world, strict] = await Promise.all([
    createWorld(),
    createWorld({ 'catalog.import.bad_resources': 'refuse', 'catalog.auth.create_unowned_dataset': true }),
  ]);
});
afterAll(() => Promise.all([world.end(), strict.end()]));

async function bring(records: readonly object[], options = {}, into = world) {
  const said: string[] = [];
  const progress = { report: () => {}, say: (line: string) => void said.push(line), stop: () => {} };
  const text = records.map((record) => JSON.stringify(record)).join('\n');
  return { ...(await importFile(into.app, Readable.from([text]), progress, options)), said };
}

const fresh = (): string => `n-${world.id().slice(0, 8)}`;
const dataset = (more: object = {}) => ({ id: world.id(), name: fresh(), resources: [], ...more });
const organization = (more: object = {}) => ({
  id: world.id(),
  name: fresh(),
  title: 'O',
  is_organization: true,
  type: 'organization',
  state: 'active',
  ...more,
});
const show = (id: string, kind = 'package') => world.result(`${kind}_show`, { id });
const written = async () => (await world.database.pool.query('SELECT count(*)::int AS n FROM revision')).rows[0].n;

describe('a record of an unsupported kind', () => {
  const user = {
    id: 'a-user',
    name: 'jo',
    fullname: 'Jo',
    display_name: 'Jo',
    email_hash: 'x',
    sysadmin: false,
    number_created_packages: 3,
    state: 'active',
  };
  const others: [string, object][] = [
    ['a user', user],
    ['a user', { id: 'b', name: 'sam', display_name: 'Sam', apikey: 'k' }],
    ['a user', { name: 'ann', email: 'ann@example.org', password: 'secret-secret' }],
    ['a vocabulary', { id: 'v', name: 'genre', tags: [{ id: 't', name: 'fact', vocabulary_id: 'v' }] }],
    ['a tag', { id: 't', name: 'fact', display_name: 'fact', vocabulary_id: null }],
    ['a license', { id: 'cc-by', title: 'CC', status: 'active', od_conformance: 'approved', url: 'https://x.example' }],
    ['a related item', { id: 'r', title: 'App', type: 'application', url: 'https://x.example', view_count: 0 }],
    ['a resource', { id: 'r', package_id: 'p', url: 'https://x.example/a.csv', format: 'CSV' }],
    ['a resource view', { id: 'w', resource_id: 'r', view_type: 'text_view', title: 'T' }],
    ['an activity', { id: 'a', activity_type: 'new package', user_id: 'u' }],
  ];

  it('is refused with its line number, and writes nothing', async () => {
    const [datasets, revisions] = [await world.result('package_list'), await written()];
    const summary = await bring(others.map(([, record]) => record));
    expect(summary).toMatchObject({ created: 0, updated: 0, failed: others.length });
    for (const [at, [what]] of others.entries())
      expect(summary.said.find((line) => line.startsWith(`line ${at + 1}:`))).toContain(`this record is ${what}.`);
    expect([await world.result('package_list'), await written()]).toEqual([datasets, revisions]);
  });

  it('is refused if its kind is unknown', async () => {
    const { said, failed } = await bring([
      { name: 'x1', title: 'X' },
      { id: 'x', name: 'x2', display_name: 'X' },
      { name: 'x3', is_organization: 'yes' },
      {},
    ]);
    expect(failed).toBe(4);
    expect(said).toEqual([
      expect.stringMatching(/^line 1: record x1: unknown kind of record/),
      expect.stringMatching(/^line 2: record x2: unknown kind/),
      expect.stringMatching(/^line 3: record x3: `is_organization` must be true or false/),
      expect.stringMatching(/^line 4: record .*unknown kind/),
    ]);
  });

  it('is refused by POST /import too', async () => {
    const as = await world.make.sysadmin();
    const { text } = await world.request('/import', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', authorization: as.key },
      body: JSON.stringify(user),
    });
    const [line, last] = text
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    expect(line).toMatchObject({ line: 1, outcome: 'failed', name: 'jo', errors: [{ code: 'VALIDATION' }] });
    expect(line.errors[0].message).toContain('this record is a user');
    expect(last.summary).toMatchObject({ created: 0, failed: 1 });
  });
});

it('refuses invalid values of any field without an internal error', async () => {
  const as = await world.make.sysadmin();
  const odd = [1, true, 'x', [], {}, [1, null, 'x', [], { id: {} }], { a: { b: 1 } }, '\u0000', 'x'.repeat(300)];
  const fields = ['id', 'name', 'resources', 'groups', 'users', 'tags', 'extras', 'organization', 'owner_org', 'type'];
  const records = fields.flatMap((field) =>
    odd.flatMap((value) => [dataset({ [field]: value }), organization({ [field]: value })]),
  );
  const { text } = await world.request('/import', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: as.key },
    body: records.map((record) => JSON.stringify(record)).join('\n'),
  });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const defects = lines.filter(({ errors = [] }) => errors.some(({ code }: { code: string }) => /INTERNAL/.test(code)));
  expect(defects.map(({ line, errors }) => [records[line - 1], errors])).toEqual([]);
  expect(lines).toHaveLength(records.length + 1);
});

describe('a name that belongs to another id', () => {
  it('is a conflict that writes nothing, unless replacing is requested', async () => {
    const [newer, older] = [dataset({ title: '2022' }), dataset({ title: '2019' })];
    const clash = { ...older, name: newer.name, organization: organization({ name: 'only-of-the-clash' }) };
    await bring([newer]);
    const before = await written();
    const refused = await bring([clash]);
    expect(refused).toMatchObject({ failed: 1, updated: 0 });
    expect(refused.said).toEqual([
      expect.stringMatching(
        new RegExp(`^line 1: dataset ${newer.name}: the name belongs to another dataset, with the id ${newer.id}`),
      ),
    ]);
    expect(await written()).toBe(before);
    expect(await show(newer.name)).toMatchObject({ id: newer.id, title: '2022' });
    const replaced = await bring([{ ...older, name: newer.name }], { replace: true });
    expect(replaced).toMatchObject({
      updated: 1,
      said: [`line 1: dataset ${newer.name} keeps its id ${newer.id} in this catalog`],
    });
    expect(await show(newer.name)).toMatchObject({ id: newer.id, title: '2019' });
  });

  it('is a conflict for organizations, groups and deleted datasets, and within one file', async () => {
    const [board, topic] = [await world.make.organization(), await world.make.group()];
    const [gone, twice] = [dataset(), dataset()];
    await bring([gone]);
    await world.result('package_delete', { id: gone.id }, { as: await world.make.sysadmin() });
    const { said, failed, created } = await bring([
      organization({ name: board.name }),
      { id: world.id(), name: topic.name, title: 'Other', is_organization: false },
      { id: world.id(), name: topic.name, title: 'Other', is_organization: true },
      dataset({ name: gone.name }),
      twice,
      dataset({ name: twice.name }),
    ]);
    expect({ failed, created }).toEqual({ failed: 5, created: 1 });
    const line = (number: number) => said.find((one) => one.startsWith(`line ${number}:`));
    expect(line(1)).toContain('belongs to another organization, with the id');
    expect(line(2)).toContain('belongs to another group, with the id');
    expect(line(3)).toContain('Group name already exists');
    expect(line(4)).toContain('belongs to another deleted dataset, with the id');
    expect(line(6)).toContain('belongs to another dataset, with the id');
    expect(await show(board.name, 'organization')).toMatchObject({ id: board.id, title: board.title });
    expect(await show(twice.name)).toMatchObject({ id: twice.id });
  });

  it('is not a conflict for a record without an id, or with an id that is the name of another object', async () => {
    const here = dataset({ title: 'Here' });
    await bring([here]);
    expect(await bring([{ name: here.name, title: 'By name', resources: [] }])).toMatchObject({ updated: 1 });
    const odd = { id: here.name, name: fresh(), title: 'Odd', resources: [] };
    await bring([odd]);
    expect(await show(here.id)).toMatchObject({ name: here.name, title: 'By name' });
  });

  it('never takes a resource from another dataset', async () => {
    const resource = { id: world.id(), url: 'https://x.example/a.csv' };
    const first = dataset({ resources: [resource] });
    await bring([first]);
    const { failed, said } = await bring([dataset({ resources: [resource] })], { replace: true });
    expect({ failed, said }).toEqual({ failed: 1, said: [expect.stringContaining('Resource id already exists')] });
    expect((await show(first.id)).resources).toMatchObject([{ id: resource.id }]);
  });

  it('can be replaced by POST /import?replace=true', async () => {
    const here = dataset();
    await bring([here]);
    const { key } = await world.make.sysadmin();
    const send = (query: string) =>
      world.request(`/import${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', authorization: key },
        body: JSON.stringify(dataset({ name: here.name, title: 'Replaced' })),
      });
    expect((await send('')).text).toContain('"code":"CONFLICT"');
    expect((await send('?replace=maybe')).status).toBe(400);
    expect((await send('?replace=true')).text).toContain('"outcome":"updated"');
  });
});

describe('the parents of a record', () => {
  const parentsOf = async (name: string, kind = 'organization') =>
    (await show(name, kind)).groups.map((parent: { name: string }) => parent.name).sort();

  it('are found later in the file by name or id, and missing ones are reported', async () => {
    const [top, middle, low] = [organization(), organization(), organization()];
    const group = (more: object) => ({ id: world.id(), name: fresh(), title: 'G', is_organization: false, ...more });
    const [above, below] = [group({}), group({})];
    const records = [
      { ...low, groups: [{ name: middle.name, capacity: 'public' }, { name: 'nobody-knows' }] },
      { ...middle, groups: [{ id: top.id, name: 'called-otherwise' }] },
      { ...below, groups: [{ name: above.name }, { name: low.name }] },
      top,
      above,
    ];
    const first = await bring(records);
    expect(first).toMatchObject({ created: 5, failed: 0 });
    expect(first.said.sort()).toEqual([
      `line 1: organization ${low.name}: parent nobody-knows does not exist in this catalog; no parent was set`,
      `line 3: group ${below.name}: parent ${low.name} does not exist in this catalog; no parent was set`,
    ]);
    expect(await parentsOf(low.name)).toEqual([middle.name]);
    expect(await parentsOf(middle.name)).toEqual([top.name]);
    expect(await parentsOf(below.name, 'group')).toEqual([above.name]);
    const before = await written();
    expect(await bring(records)).toMatchObject({ unchanged: 5, updated: 0 });
    expect(await written()).toBe(before);
  });

  it('are limited to a hundred', async () => {
    const above = Array.from({ length: 101 }, (_, n) => ({ name: `above-${n}` }));
    const { said } = await bring([organization({ groups: above }), organization({ groups: above.slice(1) })]);
    expect(said).toHaveLength(101);
    expect(said.find((line) => line.startsWith('line 1:'))).toContain('At most 100 parents (got 101)');
  });

  it('are omitted and reported if they form a cycle', async () => {
    const [a, b, self] = [organization(), organization(), organization()];
    const { created, said } = await bring([
      { ...a, groups: [{ name: b.name }] },
      { ...b, groups: [{ name: a.name }] },
      { ...self, groups: [{ name: self.name }] },
    ]);
    expect(created).toBe(3);
    expect(said).toHaveLength(2);
    for (const line of said) expect(line).toContain('A group cannot be a parent of itself');
    expect([await parentsOf(a.name), await parentsOf(b.name), await parentsOf(self.name)].flat()).toHaveLength(1);
  });
});

describe('an invalid resource', () => {
  const good = () => ({ id: world.id(), url: 'https://x.example/good.csv' });

  it('is omitted and reported, while the rest of its dataset is imported', async () => {
    const kept = good();
    const record = dataset({
      resources: [
        { name: 'script', url: 'javascript:alert(1)' },
        kept,
        { id: 'no-url', url: '' },
        { name: 'size', url: 'https://x.example/b', size: 'big' },
        { name: 'date', url: 'https://x.example/c', last_modified: 'yesterday' },
      ],
    });
    const { created, failed, said } = await bring([record]);
    expect({ created, failed }).toEqual({ created: 1, failed: 0 });
    const about = `line 1: dataset ${record.name}: resource`;
    expect(said.sort()).toEqual([
      `${about} 1 (script) was omitted: url: Must not be a script or data URL`,
      `${about} 3 (no-url) was omitted: url: Missing value`,
      `${about} 4 (size) was omitted: size: Invalid integer`,
      `${about} 5 (date) was omitted: last_modified: Date format incorrect`,
    ]);
    expect((await show(record.id)).resources).toMatchObject([{ id: kept.id }]);
    expect(await bring([record])).toMatchObject({ unchanged: 1 });
  });

  it('is reported in one line each, up to a hundred per dataset', async () => {
    const resources = Array.from({ length: 150 }, () => ({ url: 'javascript:alert(1)', name: 'x'.repeat(5_000) }));
    const { created, said } = await bring([dataset({ resources })]);
    expect(created).toBe(1);
    expect(said).toHaveLength(101);
    expect(said.at(-1)).toMatch(/and 50 more$/);
    expect(Math.max(...said.map(({ length }) => length))).toBeLessThan(500);
  });

  it('leaves the existing resource unchanged while its dataset is updated', async () => {
    const [one, two] = [good(), good()];
    const record = dataset({ resources: [one, two] });
    await bring([record]);
    const { updated, said } = await bring([
      { ...record, title: 'New', resources: [{ ...one, url: 'data:text/html,x' }, two] },
    ]);
    expect(updated).toBe(1);
    expect(said).toEqual([expect.stringContaining(`resource 1 (${one.id}) was not changed: url: Must not be`)]);
    expect(await show(record.id)).toMatchObject({ title: 'New', resources: [one, two] });
  });

  it('refuses the dataset if the setting requires it, and always in package_create', async () => {
    const record = dataset({ resources: [{ url: 'javascript:alert(1)' }] });
    expect(await bring([record], {}, strict)).toMatchObject({ failed: 1, created: 0 });
    const as = await world.make.sysadmin();
    expect((await world.action('package_create', record, { as })).body).toMatchObject({
      success: false,
      error: { resources: [{ url: [expect.any(String)] }] },
    });
  });

  it('does not include a resource with a table and no address', async () => {
    const record = dataset({
      resources: [{ id: world.id(), name: 'T', url: '', url_type: 'datastore', datastore_active: true }],
    });
    const { created, failed, said } = await bring([record]);
    expect({ created, failed }).toEqual({ created: 1, failed: 0 });
    const [resource] = (await show(record.id)).resources;
    expect(resource).toMatchObject({ name: 'T', url_type: 'datastore', datastore_active: false });
    expect(resource.url).toMatch(/\/datastore\/dump\//);
    expect(await bring([record])).toMatchObject({ unchanged: 1 });
    // Both the import and the check report the missing table.
    expect(said).toEqual([expect.stringContaining(`resource T (${resource.id}): its table was not copied: `)]);
    await world.datastore();
    const check = async () => (await tablesCheck(world.app.callAs(world.system))).elsewhere;
    expect(await check()).toMatchObject([{ resourceId: resource.id, message: expect.stringContaining('import') }]);
    const as = await world.make.sysadmin();
    await world.result('datastore_create', { resource_id: resource.id, records: [{ a: 1 }] }, { as });
    expect(await check()).toEqual([]);
    expect((await bring([record])).said).toEqual([]);
  });
});
