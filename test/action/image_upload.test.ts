/** Images of groups, organizations and users: upload, display, replacement, removal and refusal, without leftover files. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IMAGES } from '../helpers/images.ts';
import type { TestUser } from '../helpers/make.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';
import { createWorld, type World } from '../helpers/world.ts';

const LIMIT = 50_000;
onEachStore((start) => {
  let store: TestStore;
  let world: World;
  let admin: TestUser;
  let stranger: TestUser;

  beforeAll(async () => {
    store = await start();
    world = await createWorld({ ...store.settings, 'catalog.limits.image': LIMIT }, { counts: true });
    admin = await world.make.sysadmin();
    stranger = await world.make.user();
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    await store?.stop();
  });

  const stored = () => store.stored();

  interface Sent {
    as?: TestUser | null;
    name?: string;
    content?: Uint8Array<ArrayBuffer>;
  }

  function send(action: string, fields: Record<string, string>, { as = admin, name = 'Logo.PNG', content }: Sent = {}) {
    const body = new FormData();
    for (const [key, value] of Object.entries(fields)) body.append(key, value);
    body.append('image_upload', new Blob([content ?? IMAGES.png]), name);
    const headers = as ? { authorization: as.key } : undefined;
    return world.request(`/api/3/action/${action}`, { method: 'POST', body, ...(headers && { headers }) });
  }

  async function sent(action: string, fields: Record<string, string>, more: Sent = {}) {
    const answered = await send(action, fields, more);
    if (!answered.body.success) throw new Error(answered.text);
    return answered.body.result;
  }

  let count = 0;
  const newName = (): string => `owner-${++count}`;
  const account = (name: string) => ({ name, email: `${name}@example.com`, password: 'long enough' });
  const look = (url: string, as?: TestUser) =>
    fetch(world.base + new URL(url).pathname, as ? { headers: { authorization: as.key } } : {});

  describe.each([
    ['group', 'group', {}],
    ['organization', 'group', {}],
    ['user', 'user', { email: 'x@example.com', password: 'long enough' }],
  ])('the image of a new %s', (kind, path, more) => {
    it('is stored, named and served at its URL', async () => {
      const made = await sent(`${kind}_create`, { name: newName(), ...more });
      expect(made.image_url).toMatch(/^\d{4}-\d\d-\d\d-\d{6}\.\d{9}logo\.png$/);
      expect(made.image_display_url).toBe(`http://catalog.test/uploads/${path}/${made.image_url}`);
      const got = await look(made.image_display_url);
      expect([got.status, Buffer.from(await got.arrayBuffer())]).toEqual([200, IMAGES.png]);
      expect(Object.fromEntries(got.headers)).toMatchObject({
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=3600',
        'content-length': String(IMAGES.png.length),
        etag: expect.stringMatching(/^"[\w-]+"$/),
      });
      const again = await world.request(new URL(made.image_display_url).pathname, {
        headers: { 'if-none-match': got.headers.get('etag')! },
      });
      expect([again.status, again.text]).toEqual([304, '']);
      expect(await world.result(`${kind}_show`, { id: made.id })).toMatchObject({
        image_url: made.image_url,
        image_display_url: made.image_display_url,
      });
    });

    it('is replaced, preserved and cleared by updates and patches', async () => {
      const before = await stored();
      const name = newName();
      const made = await sent(`${kind}_create`, { name, ...more });
      const replaced = await sent(`${kind}_patch`, { id: made.id }, { name: 'b.gif', content: IMAGES.gif });
      expect(replaced.image_url).toMatch(/b\.gif$/);
      expect([(await look(made.image_display_url)).status, (await look(replaced.image_display_url)).status]).toEqual([
        404, 200,
      ]);
      expect(await stored()).toHaveLength(before.length + 1);
      // The name or URL that a client sends back, and the name from another site, do not change the image.
      for (const image_url of [replaced.image_url, replaced.image_display_url, 'logo.png', undefined]) {
        const { image_url: kept } = await world.result(
          `${kind}_update`,
          { id: made.id, name, ...more, ...(image_url && { image_url }) },
          { as: admin },
        );
        expect(kept).toBe(replaced.image_url);
      }
      await world.result(`${kind}_patch`, { id: made.id, clear_upload: true }, { as: admin });
      expect((await world.result(`${kind}_show`, { id: made.id })).image_url || '').toBe('');
      expect(await stored()).toEqual(before);
      await sent(`${kind}_update`, { id: made.id, name, ...more });
      const linked = await world.result(
        `${kind}_patch`,
        { id: made.id, image_url: 'http://pictures.example/x.png' },
        { as: admin },
      );
      expect(linked).toMatchObject({
        image_url: 'http://pictures.example/x.png',
        image_display_url: 'http://pictures.example/x.png',
      });
      expect(await stored()).toEqual(before);
    });

    it('must be an image by its content, and no larger than the limit', async () => {
      const before = await stored();
      for (const content of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<html>', '', 'PNG']) {
        const { body } = await send(`${kind}_create`, { name: newName(), ...more }, { content: Buffer.from(content) });
        expect(body.error).toMatchObject({
          __type: 'Validation Error',
          image_upload: ['Must be an image: PNG, JPEG, GIF, WebP or AVIF'],
        });
      }
      const large = Buffer.concat([IMAGES.png, Buffer.alloc(LIMIT)]);
      const { body } = await send(`${kind}_create`, { name: newName(), ...more }, { content: large });
      expect(body.error).toMatchObject({
        message: `image_upload: The image exceeds ${LIMIT} bytes (catalog.limits.image)`,
        image_upload: [`The image exceeds ${LIMIT} bytes (catalog.limits.image)`],
      });
      expect(await stored()).toEqual(before);
    });

    it('is accepted only from users who may change its owner', async () => {
      const before = await stored();
      const made = await world.result(`${kind}_create`, { name: newName(), ...more }, { as: admin });
      for (const as of [stranger, null])
        expect((await send(`${kind}_patch`, { id: made.id }, { as })).body.error.__type).toBe('Authorization Error');
      expect((await send(`${kind}_patch`, { id: 'nope' })).body.error.__type).toBe('Not Found Error');
      expect(await stored()).toEqual(before);
    });

    it('is returned in the graph with its metadata', async () => {
      const made = await sent(`${kind}_create`, { name: newName(), ...more }, { name: 'x.jpeg', content: IMAGES.jpeg });
      const { body } = await world.graph(
        `query($id: ID!) { ${kind}(id: $id) { imageUrl imageDisplayUrl image { name mediaType size isPublic etag } } }`,
        { id: made.id },
      );
      expect(body.data[kind]).toEqual({
        imageUrl: made.image_url,
        imageDisplayUrl: made.image_display_url,
        image: {
          name: made.image_url,
          mediaType: 'image/jpeg',
          size: IMAGES.jpeg.length,
          isPublic: true,
          etag: expect.any(String),
        },
      });
    });
  });

  describe('an image', () => {
    it.each(Object.entries(IMAGES))('is recognized by its bytes: %s', async (kind, content) => {
      const made = await sent('group_create', { name: newName() }, { name: 'page.html', content });
      expect(made.image_url).toMatch(new RegExp(`page\\.${kind.replace('jpeg', 'jpg')}$`));
      expect((await look(made.image_display_url)).headers.get('content-type')).toBe(`image/${kind}`);
    });

    it.each(['../../../etc/passwd', '.htaccess', '', 'ünï cöde', 'データ.png', `${'x'.repeat(300)}.png`])(
      'named %p is served at its URL',
      async (name) => {
        const made = await sent('group_create', { name: newName() }, { name: name || ' ' });
        expect(made.image_url).toMatch(/^[\w.-]+\.png$/);
        expect((await look(made.image_display_url)).status).toBe(200);
      },
    );

    it('of a deleted group is served only to users who may see the group, and removed by a purge', async () => {
      const before = await stored();
      const made = await sent('group_create', { name: newName() });
      await world.result('group_delete', { id: made.id }, { as: admin });
      expect((await look(made.image_display_url)).status).toBe(403);
      expect((await look(made.image_display_url, stranger)).status).toBe(403);
      const got = await look(made.image_display_url, admin);
      expect([got.status, got.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
      await world.result('group_purge', { id: made.id }, { as: admin });
      expect((await look(made.image_display_url, admin)).status).toBe(404);
      expect(await stored()).toEqual(before);
    });

    it('of a group is served under /uploads/group only, and other paths return 404', async () => {
      const made = await sent('group_create', { name: newName() });
      for (const path of [
        `user/${made.image_url}`,
        'group/nope.png',
        'group/%00',
        'group/..%2f..%2fsecret',
        `other/${made.image_url}`,
      ])
        expect((await world.request(`/uploads/${path}`)).status).toBe(404);
    });

    it('is shown with its full URL in the datasets of its group', async () => {
      const group = await sent('group_create', { name: newName() });
      const { name } = await world.make.dataset();
      await world.result('package_patch', { id: name, groups: [{ id: group.id }] }, { as: admin });
      const shown = async () => (await world.result('package_show', { id: name })).groups[0].image_display_url;
      expect(await shown()).toBe(group.image_display_url);
      const { image_display_url: next } = await sent('group_patch', { id: group.id });
      expect(next).not.toBe(group.image_display_url);
      expect(await shown()).toBe(next);
    });

    it('with an unknown upload token is refused on /graphql', async () => {
      const group = await world.make.group();
      const { body } = await world.graph(
        'mutation($input: UpdateGroupInput!) { updateGroup(input: $input) { errors { code path } } }',
        { input: { group: group.id, imageUpload: { token: 'd9c9a1f4-0000-4000-8000-000000000000', name: 'x.png' } } },
        { as: admin },
      );
      expect(body.data.updateGroup.errors).toEqual([{ code: 'VALIDATION', path: ['imageUpload'] }]);
    });

    it('is accepted by group_update of an organization with strings for every value, as sent to move logos', async () => {
      const made = await world.result('organization_create', { name: newName(), title: 'Waters' }, { as: admin });
      const fields = {
        id: made.id,
        name: made.name,
        title: 'Waters',
        image_url: 'old.png',
        is_organization: 'True',
        num_followers: '0',
      };
      const moved = await sent('group_update', fields, { name: 'logo.png' });
      expect(moved).toMatchObject({
        id: made.id,
        is_organization: true,
        image_url: expect.stringMatching(/logo\.png$/),
      });
      const { image_url } = await world.result('organization_update', { ...fields, users: [] }, { as: admin });
      expect(image_url).toBe(moved.image_url);
      const linked = {
        ...fields,
        image_url: 'http://x.example/y.png',
        image_upload: 'http://x.example/y.png',
        clear_upload: true,
      };
      expect(await world.result('group_update', linked, { as: admin })).toMatchObject({ image_url: linked.image_url });
    });
  });

  it('a user without an image has no image keys', async () => {
    const made = await world.result('user_create', account(newName()), { as: admin });
    expect(Object.keys(made).filter((key) => key.startsWith('image'))).toEqual([]);
  });

  it('images in lists are loaded with one statement', async () => {
    for (let index = 0; index < 3; index += 1) await sent('group_create', { name: newName() });
    const statements = await world.statementsOf(() => world.graph('{ groups(first: 5) { nodes { image { name } } } }'));
    expect(statements.filter((text) => text.includes('image_file'))).toHaveLength(1);
  });
});
