/** Parses PostgreSQL URLs with several hosts, as libpq does: the hosts, and the requested kind of session. */

/** One server of a URL. */
export interface Host {
  /** A name, an IP address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

/** libpq's `target_session_attrs`. */
const TARGETS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type Target = (typeof TARGETS)[number];

export interface DatabaseAddress {
  /** In the order in which they are tried. */
  readonly hosts: readonly Host[];
  readonly target: Target;
  /** The URL with only the first host, for libraries that support one; all other parts are unchanged. */
  readonly url: string;
}

/** The state of a session, as the server reports it. */
export interface SessionState {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

const PORT = 5432;
const AUTHORITY = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i;

/**
 * Parses `postgresql://user@a:5432,b:5433/name?target_session_attrs=read-write`; hosts and ports may also be lists in
 * `host` and `port`. @throws Error for an invalid URL
 */
export function readAddress(text: string): DatabaseAddress {
  const [, scheme, user = '', authority, path, query = ''] = AUTHORITY.exec(text) ?? [];
  if (scheme === undefined) throw new Error('Not a PostgreSQL URL');
  const params = new URLSearchParams(query);
  const hosts = params.has('host') ? fromParameters(params) : authority!.split(',').map(readHost);
  const target = (params.get('target_session_attrs') ?? 'any') as Target;
  if (!TARGETS.includes(target)) throw new Error(`target_session_attrs must be one of ${TARGETS.join(', ')}`);
  if (hosts.length === 1 && target === 'any') return { hosts, target, url: text };
  params.delete('target_session_attrs');
  params.delete('port');
  const [first] = hosts as [Host];
  if (first.host.startsWith('/')) params.set('host', first.host);
  else params.delete('host');
  const address = first.host.startsWith('/') ? `localhost:${first.port}` : `${inUrl(first.host)}:${first.port}`;
  const rest = params.size > 0 ? `?${params}` : '';
  const url = `${scheme}${user}${address}${path}${rest}`;
  if (!URL.canParse(url)) throw new Error('Not a PostgreSQL URL');
  return { hosts, target, url };
}

/** Whether `readAddress` accepts the text. */
export function isAddress(text: string): boolean {
  try {
    return URL.canParse(readAddress(text).url);
  } catch {
    return false;
  }
}

/** Whether a session is of the requested kind. `prefer-standby` prefers a standby and accepts every session. */
export function fits(target: Target, { isStandby, isReadOnly }: SessionState): boolean {
  if (target === 'read-write') return !isReadOnly && !isStandby;
  if (target === 'read-only') return isReadOnly || isStandby;
  if (target === 'primary') return !isStandby;
  if (target === 'standby') return isStandby;
  return true;
}

function fromParameters(params: URLSearchParams): Host[] {
  const ports = (params.get('port') ?? String(PORT)).split(',');
  return params
    .get('host')!
    .split(',')
    .map((host, index) => ({ host, port: portOf(ports.length === 1 ? ports[0] : ports[index]) }));
}

function readHost(text: string): Host {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d*))?$/.exec(text) ?? [];
  if (bracketed === undefined && /[^\w.%~-]/.test(plain)) throw new Error(`"${text}" is not a host name`);
  return { host: decodeURIComponent(bracketed ?? plain) || 'localhost', port: portOf(port) };
}

function portOf(text = ''): number {
  const port = text === '' ? PORT : Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`"${text}" is not a port number`);
  return port;
}

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : encodeURIComponent(host));
