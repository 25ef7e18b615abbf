/** Determines the client's IP address, with X-Forwarded-For from trusted proxies only. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Names for networks in settings. */
const NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Returns a function for a request's IP address: that of the connection, or the last untrusted one in X-Forwarded-For if the
 * connection is from a trusted proxy.
 * @throws Error immediately for a value that is not an address, a network or a network name (catalog.trusted_proxies)
 */
export function addressReader(trusted: readonly string[]): (req: IncomingMessage) => string {
  const isProxy = networks(trusted, 'catalog.trusted_proxies');
  /** Caches the last connection's address: behind a proxy, all are equal. */
  let last = { given: '', address: '', isAddress: false };
  return (req) => {
    const given = req.socket.remoteAddress ?? '';
    if (given !== last.given) {
      const address = plain(given);
      last = { given, address, isAddress: isIP(address) !== 0 };
    }
    if (!last.isAddress) return 'unknown';
    let { address } = last;
    const said = req.headers['x-forwarded-for'];
    if (said === undefined) return address;
    const hops = (Array.isArray(said) ? said.join() : said).split(',');
    while (hops.length > 0 && isProxy(address)) {
      const before = plain(hops.pop() as string);
      if (isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
}

/** A function that tests whether an IP address is in one of the setting's networks. @throws Error immediately for an invalid value */
export function networks(words: readonly string[], setting: string): (address: string) => boolean {
  const list = new BlockList();
  for (const network of words.flatMap((word) => NETWORKS[word] ?? [word])) add(list, network, setting);
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Removes port, brackets and zone, and converts an IPv4-mapped IPv6 address to IPv4. */
function plain(hop: string): string {
  const text = hop.trim().replace(/^\[([^\]]+)\](?::\d+)?$/, '$1');
  const address = /^[\d.]+:\d+$/.test(text) ? text.replace(/:\d+$/, '') : text;
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}

function add(list: BlockList, network: string, setting: string): void {
  const [address = '', bits] = network.split('/');
  const version = isIP(address);
  const maxLength = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? maxLength : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || !(prefix <= maxLength))
    throw new Error(`${setting}: ${network} is not an IP address, network, \`loopback\` or \`private\``);
  list.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
}
