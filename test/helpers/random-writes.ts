/** Random writes to a catalog, the same in every run. */
import type { TestUser } from './make.ts';
import type { World } from './world.ts';

export interface Writers {
  readonly world: World;
  readonly admin: TestUser;
  /** An editor of the first organizations. */
  readonly editor: TestUser;
  readonly organizations: readonly { id: string; name: string }[];
  readonly groups: readonly { id: string; name: string }[];
}

/** Numbers between 0 and 1, the same in every run (Mulberry32). */
export function randomOf(start: number): () => number {
  let seed = start;
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A function that makes one random write. Refusals are expected among them. */
export function randomWrites({ world, admin, editor, organizations, groups }: Writers) {
  const random = randomOf(20_261_123);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  return async function write(number: number): Promise<void> {
    const send = (action: string, params: Record<string, unknown>, as = admin) => world.action(action, params, { as });
    const { rows } = await world.database.pool.query(
      'SELECT id, owner_organization_id AS owner FROM dataset ORDER BY id',
    );
    const { id, owner } = pick(rows) as { id: string; owner: string | null };
    const tags = () => [{ name: pick(['air', 'water', 'soil']) }, { name: `tag ${Math.floor(random() * 40)}` }];
    const resource = () => ({ url: 'http://x', format: pick(['CSV', 'PDF', '']), size: Math.floor(random() * 1e6) });
    const organization = pick(organizations);
    const parts = () => ({
      owner_org: organization.id,
      private: random() < 0.3,
      state: pick(['active', 'active', 'draft']),
      license_id: pick(['cc-by', 'odc-pddl', '']),
      tags: tags(),
      resources: [resource(), resource()],
      groups: random() < 0.5 ? [{ name: pick(groups).name }] : [],
    });
    const kinds: (() => Promise<unknown>)[] = [
      () => send('package_create', { name: `made-${number}`, ...parts() }),
      () => send('package_create', { name: `made-${number}`, ...parts(), owner_org: organizations[0]!.id }, editor),
      () => send('package_create', { name: `made-${number}`, ...parts(), owner_org: '' }, editor),
      () => send('package_patch', { id, ...parts() }),
      () => send('package_patch', { id, private: random() < 0.5 }),
      () => send('package_patch', { id, state: pick(['active', 'draft', 'deleted']) }),
      () => send('resource_create', { package_id: id, ...resource() }),
      () => send('package_owner_org_update', { id, organization_id: organization.id }),
      () => send('package_delete', { id }),
      () => send('dataset_purge', { id }),
      () => send('member_create', { id: pick(groups).id, object: id, object_type: 'package', capacity: 'public' }),
      () => send('member_delete', { id: pick(groups).id, object: id, object_type: 'package' }),
      () => send(`bulk_update_${pick(['private', 'public', 'delete'])}`, { org_id: owner, datasets: [id] }),
      () => send('group_patch', { id: pick(groups).id, title: `Group ${number}` }),
      () => send('organization_patch', { id: organization.id, title: `Organization ${number}` }),
      () => send('tag_delete', { id: pick(tags()).name }),
      () => send('user_create', { name: `user-${number}`, email: `${number}@example.org`, password: 'long enough 1' }),
      () => send('user_delete', { id: `user-${Math.floor(random() * number)}` }),
    ];
    if (random() < 0.02) await send('group_delete', { id: pick(groups).id });
    else await pick(kinds)();
  };
}
