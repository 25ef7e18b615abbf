/** A remote catalog with an Action API for harvests: a real HTTP server with answers that the test defines. */
import type { ServerResponse } from 'node:http';
import { harvest } from '../../src/harvest/run/harvest.ts';
import { type SourceRecord, sourceCreate, sourceShow } from '../../src/harvest/source/source.service.ts';
import { serveElsewhere } from './http.ts';
import { createWorld } from './world.ts';

type Query = Readonly<Record<string, string>>;
/** The result of an action or a promise of it. Undefined is answered with Not Found, unless the response was already sent. */
export type Answers = (action: string, query: Query, res: ServerResponse) => unknown;

export type HarvestScene = Awaited<ReturnType<typeof createHarvestScene>>;

export interface Made {
  id: string;
  name: string;
  title: string;
  metadata_modified: string;
  [key: string]: unknown;
}

/** Correct answers of a catalog with these datasets, except those that `odd` replaces. */
export const catalog =
  (list: Made[], odd: Answers = () => undefined): Answers =>
  (action, query, res) => {
    const found = odd(action, query, res);
    if (found !== undefined || res.writableEnded || res.destroyed) return found;
    if (action === 'package_search') {
      const from = /\[(\S+) TO/.exec(query.fq ?? '')?.[1]?.slice(0, 19) ?? '';
      const fit = list
        .filter((one) => one.metadata_modified >= from)
        .sort((a, b) =>
          a.metadata_modified < b.metadata_modified
            ? -1
            : a.metadata_modified > b.metadata_modified
              ? 1
              : a.name < b.name
                ? -1
                : 1,
        );
      return { count: fit.length, results: fit.slice(Number(query.start), Number(query.start) + Number(query.rows)) };
    }
    if (action === 'package_list') return list.map(({ name }) => name);
    if (action === 'package_show') return list.find(({ id, name }) => [id, name].includes(query.id!));
    return action.endsWith('_list') ? [] : undefined;
  };

export async function createHarvestScene(settings: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld(settings);
  const self = {
    answers: (() => undefined) as Answers,
    /** Requested actions, with their queries. */
    asked: [] as string[],
  };
  const server = await serveElsewhere(async (req, res) => {
    const url = new URL(req.url!, 'http://x');
    const action = url.pathname.split('/').at(-1)!;
    self.asked.push(`${action}${url.search}`);
    const result = await self.answers(action, Object.fromEntries(url.searchParams), res);
    if (res.writableEnded || res.destroyed) return;
    const found =
      result === undefined
        ? { success: false, error: { __type: 'Not Found Error', message: 'Not found' } }
        : { success: true, result };
    res.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ help: '', ...found }));
  });
  const call = () => world.app.callAs(world.system);
  let count = 0;
  return Object.assign(self, {
    world,
    base: server.base,
    call,
    sourceOf(more: object = {}): Promise<SourceRecord> {
      count += 1;
      return sourceCreate(call(), {
        name: `source-${count}`,
        url: server.base,
        kind: 'CKAN',
        perSecond: 1_000,
        ...more,
      });
    },
    async run(source: SourceRecord, how: { full?: boolean; force?: boolean; signal?: AbortSignal } = {}) {
      const said: string[] = [];
      const ended = await harvest({
        runner: { run: world.app.run, call },
        databaseUrl: world.database.url,
        mayReachPrivate: true,
        pause: 5,
        ...how,
        source: await sourceShow(call(), source.id),
        onRemark: (line) => said.push(line),
      });
      return { ...ended, said };
    },
    dataset: (name: string, more: object = {}): Made => ({
      id: world.id(),
      name,
      title: name,
      type: 'dataset',
      state: 'active',
      metadata_modified: '2026-01-01T00:00:00.000000',
      resources: [],
      tags: [],
      extras: [],
      groups: [],
      ...more,
    }),
    async end() {
      await server.stop();
      await world.end();
    },
  });
}
