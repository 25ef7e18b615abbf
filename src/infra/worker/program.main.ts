/** The process that a program runs in: `node program.main.js <module>`. The module exports `run`, which speaks with the server over its port. */
import { CatalogError } from '../../kernel/errors.ts';
import { type Port, portOn } from './frames.ts';

/** What a program says at last when it has failed. */
export interface Fault {
  readonly fault: { readonly kind: CatalogError['kind'] | null; readonly message: string };
}

/** What a module exports that runs outside. Ends when it has nothing more to say. */
export type Run = (port: Port) => Promise<void>;

console.log = console.error; // standard output carries messages
process.stdin.once('close', () => process.exit()); // the server is gone
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
