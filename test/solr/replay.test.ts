/** Replays the recorded searches against a catalog on Solr. UPDATE_BASELINE=1 writes the new numbers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { replayIn, type Step } from '../compat/replay.ts';
import { hasJava } from '../helpers/java.ts';
import { describeWith, INSTALL_TIMEOUT, isThere } from '../helpers/runtime.ts';
import { createSolrWorld, type SolrNode, startSolr } from '../helpers/solr.ts';

const AREAS = ['package-search', 'legacy-search', 'tag-vocab-misc-read', 'resource-read'];
const BASELINE = join(projectRoot, 'test/solr/replay.baseline.json');

/** Numbers of equal answers, and the steps that differ on Solr only, with the reason. */
interface Baseline {
  readonly counts: Record<string, { same: number; of: number }>;
  readonly differ: Record<string, string>;
}

/** Steps that differ on PostgreSQL too. */
const known = new Set(
  [...readFileSync(join(projectRoot, 'docs/differences.md'), 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(
    (match) => match[1]!,
  ),
);

describeWith('python3, javac, java and mvn', hasJava() && isThere('python3'), 'the recorded searches on Solr', () => {
  let solr: SolrNode;
  let runner: Server;
  let steps: Step[];
  beforeAll(async () => {
    solr = await startSolr(['replay']);
    steps = await replayIn('main', 'contract', {
      areas: AREAS,
      async open(settings, base) {
        const world = await createSolrWorld(solr.urlOf('replay'), settings);
        // Recordings search at once for their own writes, so this proxy updates Solr before each request.
        runner = createServer((req, res) => {
          const forward = async () => {
            await world.feed.follow();
            const { method, headers, url } = req;
            const onward = request(new URL(url!, world.base), { method: method!, headers }, (answer) => {
              res.writeHead(answer.statusCode!, answer.rawHeaders);
              answer.pipe(res);
            });
            onward.on('error', () => res.destroy());
            req.pipe(onward);
          };
          forward().catch(() => res.writeHead(502).end());
        });
        await new Promise<void>((resolve) => runner.listen(Number(new URL(base).port), '127.0.0.1', resolve));
        return world;
      },
    });
  }, INSTALL_TIMEOUT + 600_000);
  afterAll(async () => {
    runner?.closeAllConnections();
    runner?.close();
    await solr?.stop();
  });

  const counts = (): Baseline['counts'] =>
    Object.fromEntries(
      AREAS.map((area) => {
        const own = steps.filter(({ id }) => id.startsWith(`${area}/`));
        return [area, { same: own.filter(({ same }) => same).length, of: own.length }];
      }),
    );
  const baseline = () => JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline;

  it('are answered as on PostgreSQL, except those listed with a reason', () => {
    const { differ } = baseline();
    const others = steps.filter(({ id, same }) => !same && !known.has(id) && !Object.hasOwn(differ, id));
    expect(
      others.map(({ id, request, differences }) => ({ id, request, differences: differences.slice(0, 4) })),
    ).toEqual([]);
    const differing = new Set(steps.filter(({ same }) => !same).map(({ id }) => id));
    expect(Object.keys(differ).filter((id) => !differing.has(id))).toEqual([]);
  });

  it('have at least as many equal answers as the baseline', () => {
    const now = counts();
    const before = baseline();
    if (process.env.UPDATE_BASELINE)
      writeFileSync(BASELINE, `${JSON.stringify({ ...before, counts: now }, null, 2)}\n`);
    for (const [area, { same }] of Object.entries(now))
      expect([area, same]).toEqual([area, Math.max(same, before.counts[area]?.same ?? 0)]);
  });
});
