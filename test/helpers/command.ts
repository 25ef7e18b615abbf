/** Runs `catalog …` in this process, on the catalog of some settings. */
import { jest } from '@jest/globals';
import { runCommandLine } from '../../src/cli/run.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import type { Settings } from '../../src/kernel/settings.ts';

export interface Ended {
  readonly code: number;
  /** Lines of standard output. */
  readonly out: string;
  /** Lines of standard error. */
  readonly err: string;
}

/** Runs one command line at a time, since it captures the output of the process. */
export async function runCommand(settings: Partial<Settings>, ...words: string[]): Promise<Ended> {
  const spies = (['log', 'error'] as const).map((name) => jest.spyOn(console, name).mockImplementation(() => {}));
  const printed = (index: number) => spies[index]!.mock.calls.map((values) => values.join(' ')).join('\n');
  try {
    const code = await runCommandLine(words, () => settingsForTests(settings));
    return { code, out: printed(0), err: printed(1) };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
