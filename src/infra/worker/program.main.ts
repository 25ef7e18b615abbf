/**
 * Entry point of a program's process: `node program.main.js <module>`. The module exports `run`, which communicates
 * with the server over its port.
 */
import { CatalogError } from '../../kernel/errors.ts';
import { type Port, portOn } from './frames.ts';

/** The last message of a failed program. */
export interface Fault {
  readonly fault: { readonly kind: CatalogError['kind'] | null; readonly message: string };
}

/** The function that a program's module exports. Returns after its last message. */
export type Run = (port: Port) => Promise<void>;

console.log = console.error; // standard output carries messages
process.stdin.once('close', () => process.exit()); // the server has ended
const port = portOn(process.stdin, process.stdout);
try {
  const { run } = (await import(process.argv[2]!)) as { run: Run };
  await run(port);
} catch (thrown) {
  const kind = thrown instanceof CatalogError ? thrown.kind : null;
  const message = kind === null ? String((thrown as Error)?.stack ?? thrown) : (thrown as Error).message;
  await port.send({ fault: { kind, message: message.slice(0, 10_000) } } satisfies Fault);
}
process.stdout.end(() => process.exit());
