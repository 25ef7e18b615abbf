/**
 * Every mutation is safe to retry. Updates and deletions take the version that was read, creations take an idempotency key, and bulk
 * mutations answer item by item. Exceptions are listed with the reason.
 */
import { describe, expect, it } from '@jest/globals';
import { type GraphQLInputField, type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import { schema } from '../../src/graph/schema.ts';

const mutations = Object.values(schema.getMutationType()!.getFields());
const inputOf = (name: string): GraphQLInputObjectType =>
  getNamedType(schema.getMutationType()!.getFields()[name]!.args[0]!.type) as GraphQLInputObjectType;
const takes = (type: GraphQLInputObjectType, field: string): boolean => field in type.getFields();

/** Mutations without a key and without a version, by reason. */
const NEITHER: Readonly<Record<string, readonly string[]>> = {
  'A secret is told once: to ask again is to get another one.': [
    'beginUpload',
    'createPasswordLink',
    'login',
    'requestPasswordReset',
  ],
  'Nobody is signed in yet, and the name or address is taken when it is sent again.': ['register'],
  'What it makes or sets is told apart by what the input says: sent again it is there already, and the same.': [
    'createDefaultResourceViews',
    'followObject',
    'rateDataset',
    'setTermTranslations',
    'unfollowObject',
  ],
  'It sets the whole of what it names, each time the same.': [
    'changeDatasets',
    'clearResourceViews',
    'markDashboardSeen',
    'reorderResourceViews',
    'setTableVisibility',
    'updateSiteOptions',
  ],
  'What it takes away never changes: it is there or not.': ['logout', 'revokeToken'],
  'Notes of jobs elsewhere, told apart by what they are about; the last one counts.': [
    'deleteTaskStatus',
    'updateTaskStatus',
    'updateTaskStatuses',
  ],
  'It has work done: of one kind for one thing there is one job.': [
    'cancelJob',
    'checkResourceLink',
    'loadResource',
    'pingWebhook',
    'redeliverWebhook',
    'retryJob',
    'sendActivityDigests',
    'startHarvest',
  ],
  'It shows a secret of the caller, which is the better guard.': ['changePassword', 'resetPassword'],
};
const without = Object.values(NEITHER).flat();

describe('every mutation', () => {
  const single = mutations.filter(({ name }) => !takes(inputOf(name), 'items'));

  it('takes an idempotency key to create, and a version to update or delete, except the listed ones', () => {
    const unsafe = single.filter(({ name }) => {
      const wanted = /^(create|invite)/.test(name) ? 'idempotencyKey' : 'expectedVersion';
      return !takes(inputOf(name), wanted);
    });
    expect(unsafe.map(({ name }) => name).sort()).toEqual([...without].sort());
  });

  it('names and describes both in the same way everywhere', () => {
    for (const [field, type, said] of [
      ['expectedVersion', 'Int', /CONFLICT/],
      ['idempotencyKey', 'String', /same key/],
    ] as const) {
      const odd = single
        .map(({ name }): [string, GraphQLInputField | undefined] => [name, inputOf(name).getFields()[field]])
        .filter(([, it]) => it && (String(it.type) !== type || !said.test(it.description ?? '')));
      expect(odd.map(([name]) => name)).toEqual([]);
    }
  });

  it('returns the current version with a conflict', () => {
    const error = schema.getType('MutationError');
    expect(error && 'getFields' in error ? Object.keys(error.getFields()) : []).toContain('currentVersion');
  });
});

describe('verbs', () => {
  /** Verbs other than create, update (given fields), replace (everything), delete and purge, by reason. */
  const OTHERS: Readonly<Record<string, readonly string[]>> = {
    'It signs people in and out, or proves who they are.': [
      'changePassword',
      'login',
      'logout',
      'register',
      'requestPasswordReset',
      'resetPassword',
    ],
    'It changes relations of the caller or of members, which are no objects of their own.': [
      'addGroupMember',
      'followObject',
      'inviteUser',
      'rateDataset',
      'removeGroupMember',
      'removeMember',
      'setMemberRole',
      'setRolesOfUsers',
      'setUserRoles',
      'unfollowObject',
    ],
    'It ends or replaces a secret.': ['generateApiKey', 'revokeToken', 'rotateWebhookSecret'],
    'It has work done, or ends work.': [
      'beginUpload',
      'cancelJob',
      'checkResourceLink',
      'loadResource',
      'pingWebhook',
      'redeliverWebhook',
      'retryJob',
      'sendActivityDigests',
      'startHarvest',
    ],
    'It sets one property, which has rules of its own.': ['markDashboardSeen', 'setDatasetOwner', 'setTableVisibility'],
    'It changes a list as a whole.': [
      'changeDatasets',
      'clearResourceViews',
      'reorderResources',
      'reorderResourceViews',
      'setTermTranslations',
      'writeRecords',
    ],
    'It edits a document by paths, for the Action API.': ['reviseDataset'],
  };

  it('are create, update, replace, delete and purge, except the listed ones', () => {
    const odd = mutations
      .map(({ name }) => name)
      .filter((name) => !/^(create|update|replace|delete|purge)[A-Z]/.test(name));
    expect(odd.sort()).toEqual(Object.values(OTHERS).flat().sort());
  });
});

describe('bulk mutations', () => {
  const batches = mutations.filter(({ name }) => takes(inputOf(name), 'items'));

  it('exist for datasets and resources', () => {
    expect(batches.map(({ name }) => name).sort()).toEqual([
      'createDatasets',
      'createResources',
      'deleteDatasets',
      'deleteResources',
      'replaceDatasets',
      'updateDatasets',
      'updateResources',
    ]);
  });

  it.each(batches.map((field) => [field.name, field] as const))(
    '%s takes the inputs of the single mutation, and returns its payloads',
    (name, field) => {
      const one = name.replace(/s$/, '');
      const item = getNamedType(inputOf(name).getFields().items!.type);
      expect(item.name).toBe(inputOf(one).name);
      expect(isInputObjectType(item)).toBe(true);
      const payload = getNamedType(field.type);
      const results = 'getFields' in payload ? payload.getFields().results : undefined;
      const Payload = `${one[0]!.toUpperCase()}${one.slice(1)}Payload`;
      expect(String(results?.type)).toBe(`[${Payload}!]`);
    },
  );
});
