/** Roles of older clients, derived from capacities and settings. Pure. */
import { mayCreateDataset, mayReadDataset, mayUpdateDataset } from '../../catalog/dataset/dataset.policy.ts';
import type { DatasetFacts } from '../../catalog/document/record.ts';
import { type Actor, anonymous, type Capacity } from '../../kernel/call.ts';
import type { Problem } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';

export type Role = 'admin' | 'editor' | 'reader';

/** Pseudo-users for all visitors and all signed-in users. */
export const VISITOR = 'visitor';
export const LOGGED_IN = 'logged_in';

/** A signed-in actor without any rights of their own. */
const visitor = anonymous('');
const signedIn: Actor = { ...visitor, userId: '', name: LOGGED_IN };

const ROLES: Readonly<Record<Capacity, Role>> = { admin: 'admin', editor: 'editor', member: 'reader' };
const CAPACITIES: Readonly<Record<Role, Capacity>> = { admin: 'admin', editor: 'editor', reader: 'member' };

/** The role of a capacity; null for one that grants nothing. */
export const roleOf = (capacity: string): Role | null =>
  Object.hasOwn(ROLES, capacity) ? ROLES[capacity as Capacity] : null;

/** The strongest capacity of the roles; null for none, undefined for an unknown role. */
export function capacityOf(roles: readonly string[]): Capacity | null | undefined {
  if (!roles.every((role) => Object.hasOwn(CAPACITIES, role))) return undefined;
  const strongest = (['admin', 'editor', 'reader'] as const).find((role) => roles.includes(role));
  return strongest ? CAPACITIES[strongest] : null;
}

/** Roles of the pseudo-users on the site as a whole. */
export const rolesOnSite = (settings: Settings): Record<string, Role> => ({
  [VISITOR]: mayCreateDataset(visitor, settings) === null ? 'editor' : 'reader',
  [LOGGED_IN]: mayCreateDataset(signedIn, settings) === null ? 'editor' : 'reader',
});

/** Roles of the pseudo-users on a dataset. */
export const rolesOnDataset = (dataset: DatasetFacts, settings: Settings): Record<string, Role | null> => ({
  [VISITOR]: mayReadDataset(visitor, dataset, settings) === null ? 'reader' : null,
  [LOGGED_IN]:
    mayUpdateDataset(signedIn, dataset, settings) === null
      ? 'editor'
      : mayReadDataset(signedIn, dataset, settings) === null
        ? 'reader'
        : null,
});

/** The creator of a dataset is its admin while they may change it; `capacity` is their capacity in the owner organization. */
export function roleOfCreator(
  dataset: DatasetFacts,
  creator: { readonly id: string; readonly sysadmin: boolean; readonly capacity: string | null },
  settings: Settings,
): Role | null {
  const capacity = creator.capacity !== null && roleOf(creator.capacity) ? (creator.capacity as Capacity) : null;
  const actor: Actor = {
    ...visitor,
    userId: creator.id,
    sysadmin: creator.sysadmin,
    capacities: new Map(capacity && dataset.ownerOrganizationId ? [[dataset.ownerOrganizationId, capacity]] : []),
  };
  return mayUpdateDataset(actor, dataset, settings) === null ? 'admin' : null;
}

/** Problems of roles that have no equivalent capacity; `path` is their path in the input. */
export function checkUserRoles(user: string, roles: readonly string[], path: Problem['path']): Problem[] {
  if (user === VISITOR || user === LOGGED_IN)
    return [{ path, message: `${user} is a group of users. Settings (catalog.auth.*) define their permissions` }];
  return capacityOf(roles) === undefined ? [{ path, message: 'Must be admin, editor or reader' }] : [];
}

/** Problems of setting roles on objects other than groups. */
export const checkRoleObject = (kind: 'DATASET' | 'GROUP' | 'SYSTEM'): Problem[] =>
  kind === 'GROUP'
    ? []
    : [
        {
          path: ['domainObject'],
          message:
            kind === 'DATASET'
              ? 'A dataset has no roles of its own. Set them on its organization'
              : 'The site has no roles to set. Make a user a system administrator, or change the settings catalog.auth.*',
        },
      ];
