/** A catalog with a store of files, and users who announce files: for tests of both ways to upload a file. */
import { expect } from '@jest/globals';
import { filesCheck, filesSweep } from '../../src/catalog/file/check.service.ts';
import { type Call, withRequest } from '../../src/kernel/call.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import type { TestUser } from './make.ts';
import type { TestStore } from './stores.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/** Maximum size of a file, in bytes. */
export const LIMIT = 300_000;
/** Maximum number of open announced files per user. */
export const MAX_OPEN = 3;
export const HOUR = 60 * 60 * 1000;

export const BEGIN = `mutation ($input: BeginUploadInput!) { it: beginUpload(input: $input) {
  upload { token url method headers { name value } size expiresAt } errors { code message path } } }`;
export const CREATE = `mutation ($input: CreateResourceInput!) { it: createResource(input: $input) {
  resource { databaseId url urlType file { name size } } errors { code message path } } }`;
export const GROUP = `mutation ($input: CreateGroupInput!) { it: createGroup(input: $input) {
  group { image { name mediaType } } errors { code message path } } }`;

export interface Ticket {
  token: string;
  url: string;
  method: string;
  headers: { name: string; value: string }[];
  size: number;
  expiresAt: string;
}

export type Uploads = Awaited<ReturnType<typeof createUploads>>;

export async function createUploads(store: TestStore, overrides: Partial<Settings> = {}) {
  const world = await createWorld({
    ...store.settings,
    'catalog.limits.upload': LIMIT,
    'catalog.limits.uploads_per_user': MAX_OPEN,
    ...overrides,
  });
  const [user, stranger] = [await world.make.user(), await world.make.user()];
  const dataset = (await world.make.dataset()).id;

  /** A call of the system with a clock that is this many ms ahead. */
  const later = (ms: number): Call => withRequest(world.app.callAs(world.system), { now: new Date(Date.now() + ms) });

  async function mutate(query: string, input: Record<string, unknown>, as: TestUser | null = user) {
    const { body, text } = await world.graph(query, { input }, { as });
    if (body.errors) throw new Error(`${query} ${JSON.stringify(input)}\nanswered ${text.slice(0, 1000)}`);
    return body.data.it;
  }

  async function begin(input: Record<string, unknown>, as: TestUser = user): Promise<Ticket> {
    const { upload, errors } = await mutate(BEGIN, input, as);
    if (!upload) throw new Error(`beginUpload ${JSON.stringify(input)}\nanswered ${JSON.stringify(errors)}`);
    return upload;
  }

  /** Creates a resource with an announced file. */
  const use = ({ token }: { token: string }, as: TestUser | null = user, more: object = {}) =>
    mutate(CREATE, { dataset, resource: { name: 'data' }, upload: { token, name: 'folder/My Data.csv' }, ...more }, as);

  /** The sweep removes unused uploads, and no partial file remains, also after a client has disconnected. */
  async function expectTidy(): Promise<void> {
    await filesSweep(later(5 * HOUR));
    const { named, stored, missing } = await filesCheck(later(0));
    expect({ stored, missing }).toEqual({ stored: named, missing: [] });
    await until(async () => (await store.stored()).length === stored, store.stored);
  }

  return { world, user, stranger, dataset, later, mutate, begin, use, expectTidy };
}

/** The refusal of an announced file. */
export const refused = (code: string, why: string, path = ['upload']) => [
  { code, path, message: expect.stringContaining(why) },
];
