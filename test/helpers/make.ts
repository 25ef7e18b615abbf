/** Factories of test objects. Omitted values get defaults, parents included. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { App } from '../../src/app.ts';
import type { CreateDatasetInput } from '../../src/catalog/dataset/write/input.ts';
import { datasetCreate } from '../../src/catalog/dataset/write/write.service.ts';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import type { SecretBox } from '../../src/infra/crypto/secret-box.ts';
import type { Actor } from '../../src/kernel/call.ts';

export interface TestUser {
  id: string;
  name: string;
  key: string;
}

interface Tools {
  db: PrismaClient;
  secretBox: SecretBox;
  app: App;
  system: Actor;
}

interface GroupParts {
  name?: string;
  title?: string;
  members?: Record<string, 'admin' | 'editor' | 'member'>;
}

const unique = (kind: string): string => `${kind}-${randomBytes(4).toString('hex')}`;

export function makers({ db, secretBox, app, system }: Tools) {
  /** A user with a valid key. */
  async function user({
    name = unique('user'),
    sysadmin = false,
    email,
  }: {
    name?: string;
    sysadmin?: boolean;
    email?: string;
  } = {}): Promise<TestUser> {
    const key = randomUUID();
    const { id } = await db.user.create({
      data: {
        id: randomUUID(),
        name,
        sysadmin,
        email: email ?? `${name}@example.com`,
        apiKeyHash: secretBox.hash(key),
        apiKeySealed: secretBox.seal(key),
      },
    });
    return { id, name, key };
  }

  async function groupRow(
    isOrganization: boolean,
    { name = unique(isOrganization ? 'org' : 'group'), title, members = {} }: GroupParts,
  ) {
    const revisionId = randomUUID();
    return db.group.create({
      data: {
        id: randomUUID(),
        name,
        title: title ?? name,
        description: '',
        imageUrl: '',
        type: isOrganization ? 'organization' : 'group',
        isOrganization,
        revisionId,
        members: {
          create: Object.entries(members).map(([userId, capacity]) => ({
            id: randomUUID(),
            userId,
            capacity,
            revisionId,
          })),
        },
      },
    });
  }

  return {
    user,
    sysadmin: () => user({ name: unique('admin'), sysadmin: true }),
    /** An organization; members are user ids with their capacity. */
    organization: (parts: GroupParts = {}) => groupRow(true, parts),
    /** A group; members are user ids with their capacity. */
    group: (parts: GroupParts = {}) => groupRow(false, parts),
    vocabulary: (name = unique('vocabulary')) => db.vocabulary.create({ data: { id: randomUUID(), name } }),
    /** A dataset, created by a sysadmin through the service. */
    dataset: (parts: Partial<CreateDatasetInput> = {}) =>
      datasetCreate(app.callAs(system), { name: unique('dataset'), ...parts }),
  };
}
