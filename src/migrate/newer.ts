/** Whether this program works on a database with migrations of a newer release. See docs/upgrade.md. */
import { version } from '../kernel/version.ts';

/** A migration that only older programs notice names the oldest release that works with it: `0080_needs_0.4.0_drop_period`. */
const NEEDS = /^\d{4}_needs_(\d+\.\d+\.\d+)_/;

/** Names of those that this program does not work with. Migrations of newer releases only add, unless their names say otherwise. */
export const incompatible = (names: readonly string[], program = version): string[] =>
  names.filter((name) => {
    const needed = NEEDS.exec(name)?.[1];
    return needed !== undefined && isOlder(program, needed);
  });

function isOlder(program: string, needed: string): boolean {
  const [mine, other] = [program, needed].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (const [at, part] of other!.entries()) if (mine![at] !== part) return mine![at]! < part;
  return program.includes('-'); // a pre-release is older than its release
}
