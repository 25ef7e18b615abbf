/** Confirmation of commands that delete: `--yes`, or a typed word on a terminal. */
import { createInterface } from 'node:readline/promises';
import { UsageError } from './command.ts';

/** @throws UsageError without `--yes` if there is no terminal, and for another answer */
export async function confirm(what: string, word: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(`${what} To confirm, add --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${what} Type "${word}" to confirm: `);
    if (answer.trim() !== word) throw new UsageError('Not confirmed. Nothing was changed.');
  } finally {
    terminal.close();
  }
}
