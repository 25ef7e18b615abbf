/**
 * DNS look-ups that do not exhaust libuv's threads. The system's look-up (`dns.lookup`) holds one of the few threads
 * that files, passwords and compression share, as long as a slow DNS server takes. Names from users are resolved over
 * DNS without a thread. Only the operator's names use the system's look-up, a few at a time, because this machine alone
 * may know them.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';

export interface ServedNames {
  /** Timeout in ms before the query is repeated, or sent to the next server. */
  readonly timeout?: number;
  readonly tries?: number;
  /** DNS servers; defaults to the system's. */
  readonly servers?: readonly string[];
  /** The hosts file, which is read first. */
  readonly hosts?: string;
}

type Done = Parameters<LookupFunction>[2];

/** Resolves names from the hosts file, then over DNS: IPv4 addresses first. Takes no thread. */
export function servedLookup(options: ServedNames = {}): LookupFunction {
  const { timeout = 2_500, tries = 2, servers, hosts = '/etc/hosts' } = options;

  async function addressesOf(name: string): Promise<LookupAddress[]> {
    const known = hostsIn(await readFile(hosts, 'utf8').catch(() => ''), name);
    if (known.length > 0) return known;
    const resolver = new Resolver({ timeout, tries });
    if (servers) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.map(addressOf) : []));
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (found.length === 0 && failure) throw failure.reason;
    return found;
  }

  return (name, { family, all }, done) => {
    const requested = FAMILIES.get(family ?? 0) ?? 0;
    addressesOf(name).then(
      (found) => answer(name, requested === 0 ? found : found.filter((it) => it.family === requested), all, done),
      (failure: NodeJS.ErrnoException) => done(failure, []),
    );
  };
}

const FAMILIES = new Map<number | 'IPv4' | 'IPv6', number>([
  [4, 4],
  [6, 6],
  ['IPv4', 4],
  ['IPv6', 6],
]);

/** Calls back in Node's form: all addresses, or the first. */
export function answer(name: string, found: readonly LookupAddress[], all: boolean | undefined, done: Done): void {
  const [first] = found;
  if (!first) done(Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' }), []);
  else if (all) done(null, [...found]);
  else done(null, first.address, first.family);
}

const addressOf = (address: string): LookupAddress => ({ address, family: isIP(address) });

/** The addresses of a name in a hosts file. */
function hostsIn(text: string, name: string): LookupAddress[] {
  const requested = name.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.split('#')[0]!.trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(requested) ? [addressOf(address)] : [];
  });
}

/** The system's look-up with a bound on concurrent look-ups; others wait. */
export function boundedLookup(max: number, lookUp: LookupFunction = systemLookup as LookupFunction): LookupFunction {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const next = () => {
    while (underWay < max && waiting.length > 0) {
      underWay += 1;
      waiting.shift()!();
    }
  };
  return (name, options, done) => {
    waiting.push(() =>
      lookUp(name, options, (...answered) => {
        underWay -= 1;
        next();
        done(...answered);
      }),
    );
    next();
  };
}
