/** Logs of failed jobs: a summary of expected failures, and every detail of defects. */
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { failureLog } from '../../../src/jobs/failures.ts';
import type { JobRecord } from '../../../src/jobs/job.store.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';

const JOB = { id: 'j', kind: 'load' } as JobRecord;

/** Log lines at this level after a thousand jobs that failed five times each, and one defect. */
function linesAt(level: string): string[] {
  const lines: string[] = [];
  const log = failureLog(pino({ level }, { write: (line: string) => void lines.push(line) }));
  const gone = new CatalogError('UNAVAILABLE', `The download failed (${'x'.repeat(5_000)})`);
  for (let n = 0; n < 5_000; n += 1) log.add(JOB, gone, n % 5 < 4);
  log.add({ ...JOB, kind: 'words' }, new Error('broken'), true);
  log.stop();
  return lines;
}

it('logs expected failures as one line per kind, with short lines at debug level, and defects in full', () => {
  const info = linesAt('info');
  expect(info).toHaveLength(2);
  expect(JSON.parse(info[0]!)).toMatchObject({ level: 40, kind: 'words', err: { stack: expect.any(String) } });
  expect(JSON.parse(info[1]!)).toMatchObject({
    level: 30,
    kind: 'load',
    tries: 5_000,
    jobs: 1_000,
    last: expect.stringContaining('The download failed'),
  });
  const debug = linesAt('debug').filter((line) => JSON.parse(line).level === 20);
  expect(debug).toHaveLength(5_000);
  expect(Math.max(...debug.map((line) => line.length))).toBeLessThan(500);
  expect(debug[0]).not.toContain('stack');
});
