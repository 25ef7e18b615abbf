/** Interface of commands of the `catalog` program. */
import type { Logger } from '../infra/log/log.ts';
import type { CatalogError } from '../kernel/errors.ts';
import type { Settings } from '../kernel/settings.ts';

/** Context of every command; the catalog is not open yet. */
export interface CommandContext {
  readonly settings: Settings;
  readonly log: Logger;
}

/**
 * One command. Runs to completion; `args` are the words after the command's name.
 * @throws UsageError for invalid arguments; without a message, the command's usage is shown
 */
export type Command = (args: readonly string[], context: CommandContext) => Promise<void>;

/** A command was called incorrectly, or cannot do what was requested. Shows the message only, without a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command finished with problems, named in the message. The exit code is 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** The message of a refusal. The Action API's contract has none for some missing objects. */
export const refusalText = ({ message, kind }: CatalogError): string =>
  message || `${kind}: nothing has this name or id.`;
