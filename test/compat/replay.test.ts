/** Replays recorded responses of CKAN in both status profiles. UPDATE_BASELINE=1 writes the new counts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { describeWith, isThere } from '../helpers/runtime.ts';
import { AREAS, type Profile, replay, type Step } from './replay.ts';

const PROFILES: readonly Profile[] = ['contract', 'http'];
const BASELINE = join(projectRoot, 'test/compat/replay.baseline.json');

type Counts = Record<string, Record<string, { same: number; of: number }>>;

/** Ids in the table of docs/differences.md. */
const listed = (): Set<string> =>
  new Set(
    [...readFileSync(join(projectRoot, 'docs/differences.md'), 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(
      (match) => match[1]!,
    ),
  );

const describeStep = ({ id, request, differences }: Step): string =>
  [
    id,
    request,
    ...differences
      .slice(0, 4)
      .map(({ at, expected, got }) => `at ${at}\n    expected ${expected}\n    got      ${got}`),
  ].join('\n  ');

describeWith('python3', isThere('python3'), 'the recorded answers', () => {
  const steps: Record<string, Step[]> = {};
  beforeAll(async () => {
    await Promise.all(
      PROFILES.map(async (profile) => {
        steps[profile] = await replay(profile);
      }),
    );
  }, 600_000);

  const counts = (): Counts =>
    Object.fromEntries(
      PROFILES.map((profile) => [
        profile,
        Object.fromEntries(
          AREAS.map((area) => {
            const own = steps[profile]!.filter(({ id }) => id.startsWith(`${area}/`));
            return [area, { same: own.filter(({ same }) => same).length, of: own.length }];
          }),
        ),
      ]),
    );

  it('are reproduced in every step that is not listed in docs/differences.md', () => {
    const known = listed();
    const unlisted = PROFILES.flatMap((profile) =>
      steps[profile]!.filter(({ id, same }) => !same && !known.has(id)).map(
        (step) => `[${profile}] ${describeStep(step)}`,
      ),
    );
    expect(unlisted.join('\n\n')).toBe('');
  });

  it('differ in every step that is listed in docs/differences.md', () => {
    const differing = new Set(
      PROFILES.flatMap((profile) => steps[profile]!.filter(({ same }) => !same).map(({ id }) => id)),
    );
    expect([...listed()].filter((id) => !differing.has(id))).toEqual([]);
  });

  it('are reproduced no less often than before', () => {
    const now = counts();
    if (process.env.UPDATE_BASELINE) writeFileSync(BASELINE, `${JSON.stringify(now, null, 2)}\n`);
    const before = JSON.parse(readFileSync(BASELINE, 'utf8')) as Counts;
    const fewer = PROFILES.flatMap((profile) =>
      Object.entries(before[profile] ?? {})
        .filter(([area, { same }]) => now[profile]![area]!.same < same)
        .map(([area, { same }]) => `${profile} ${area}: ${now[profile]![area]!.same}, before ${same}`),
    );
    expect(fewer).toEqual([]);
  });
});
