/** What a command of the `catalog` program is. */

import type { Logger } from '../infra/log/log.ts';
import type { Settings } from '../kernel/config.ts';

/** What every command gets: nothing is opened yet. */
export interface CommandContext {
  readonly settings: Settings;
  readonly log: Logger;
}

/**
 * One command; its file exports it as `command`. Runs to the end; `args` are the words after the command's name.
 * @throws UsageError where they make no sense; without a message, the command's usage is shown.
 */
export type Command = (args: readonly string[], context: CommandContext) => Promise<void>;

/** The person at the terminal called a command wrongly or it cannot do what was asked; the message is all they need. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command ran to its end and not all went well; the message says what. The exit code is 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
