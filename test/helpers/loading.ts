/** Uploads of files, their load jobs, and the resulting tables. */
import type { TestUser } from './make.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

export interface LoadedJob {
  state: string;
  error: string | null;
  attempts: number;
  progressDone: number | null;
  progressTotal: number | null;
}

/** A world with a DataStore, a worker, and a sysadmin who uploads files to a dataset. */
export async function startLoading() {
  const world = await createWorld();
  await world.datastore();
  const boss = await world.make.user({ sysadmin: true });
  const datasetId: string = (await world.make.dataset()).id;
  const tools = loadingIn(world, () => boss);
  const worker = await world.app.startWorker();

  /** Uploads a file. Returns the column types and rows of its table, without `_id`. @throws Error if it was not loaded */
  async function table(name: string, bytes: Uint8Array | string) {
    const { id, job } = await tools.load(datasetId, name, bytes);
    if (job.state !== 'DONE' || job.error !== null) throw new Error(`${name}: ${JSON.stringify(job)}`);
    const { fields, records } = await tools.search(id);
    const types: Record<string, string> = Object.fromEntries(
      fields.slice(1).map((field: { id: string; type: string }) => [field.id, field.type]),
    );
    return { id, types, rows: records.map(({ _id, ...row }: any) => row) };
  }
  const end = async () => {
    await worker.stop();
    await world.end();
  };
  return { world, boss, datasetId, tools, table, end };
}

export function loadingIn(world: World, as: () => TestUser) {
  /** Sends a file as a browser does. */
  async function upload(
    action: string,
    params: Record<string, string>,
    name: string,
    bytes: Uint8Array | string,
  ): Promise<any> {
    const form = new FormData();
    for (const [key, value] of Object.entries(params)) form.set(key, value);
    form.set('upload', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    const answered = await world.request(`/api/3/action/${action}`, {
      method: 'POST',
      body: form,
      headers: { authorization: as().key },
    });
    if (!answered.body?.success) throw new Error(answered.text);
    return answered.body.result;
  }

  /** The job of a resource once it has ended, or has failed once. */
  async function settled(resourceId: string, kind = 'load'): Promise<LoadedJob> {
    const query = `{ jobs(where: { subject: "${resourceId}", kind: "${kind}" }, first: 1) { nodes { state error attempts progressDone progressTotal } } }`;
    const look = async () => (await world.graph(query, {}, { as: as() })).body.data.jobs.nodes[0];
    return until(async () => {
      const job = await look();
      const isTried = job?.state === 'QUEUED' && job.error !== null;
      return job && (isTried || !['QUEUED', 'RUNNING'].includes(job.state)) ? job : null;
    }, look);
  }

  const search = (resourceId: string, more: Record<string, unknown> = {}): Promise<any> =>
    world.result('datastore_search', { resource_id: resourceId, ...more }, { as: as() });

  /** Uploads a file to a new resource and waits for its job. Returns the resource's id and the job. */
  async function load(datasetId: string, name: string, bytes: Uint8Array | string, more: Record<string, string> = {}) {
    const { id } = await upload('resource_create', { package_id: datasetId, name, ...more }, name, bytes);
    return { id: id as string, job: await settled(id) };
  }

  return { upload, settled, search, load };
}
