/** Drafts the address of a resource: a link's unchanged, a file's by its name alone. The projector completes it. Pure. */
import { isStoredFile, type ResourceRow, TABLE_ONLY } from '../../document/project.ts';
import type { ResourceInput } from './input.ts';

/** A new file of a resource. */
export interface FileFacts {
  /** The client's name of the file. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Whether `size` and `mimetype` of the resource come from the file. */
  readonly fillsFields: boolean;
}

/** A change of a resource's file: a new file, or a removed one. */
export interface FileChange {
  readonly upload?: FileFacts | undefined;
  readonly clear?: boolean;
  /** Whether a resource with a table or a new file needs no address (`catalog.resources.url_optional`). */
  readonly isUrlOptional?: boolean;
}

type Stored = Pick<ResourceRow, 'id' | 'url' | 'urlType'> & Partial<Pick<ResourceRow, 'datastoreActive'>>;
type Address = Pick<ResourceRow, 'url' | 'urlType'>;

const SCRIPT = /^(javascript|vbscript|data):/i;
/** Browsers ignore these at the start of an address, and some of them anywhere in it. */
const PASSED_OVER = /[\p{Cc}\s]/gu;
const WEB = /^https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The problem of addresses for which `isScriptAddress` is true. */
export const SCRIPT_REFUSED = 'Must not be a script or data URL';

/** True for an address that would run as a script in a reader's browser; control characters and spaces cannot disguise it. */
export const isScriptAddress = (text: string): boolean => SCRIPT.test(text.replace(PASSED_OVER, ''));

/** Contract: a resource has a url; with a new file the url in the input is ignored. `add` receives the problems. */
export function draftAddress(
  input: ResourceInput,
  stored: Stored | undefined,
  change: FileChange,
  add: (field: string, message: string) => void,
): Address {
  if (change.upload !== undefined) {
    // As recorded, a file alone is not enough: url is required, even if empty. Newer clients omit it and send a name.
    if (input.url === undefined && !input.name && !stored && !change.isUrlOptional) add('url', 'Missing value');
    return { url: cleanFileName(change.upload.name), urlType: 'upload' };
  }
  const file = stored && isStoredFile(stored) ? stored.url : null;
  const left = input.url === undefined && stored !== undefined;
  const url = left ? stored.url : (input.url ?? '').trim();
  const urlType = change.clear ? '' : input.urlType !== undefined ? input.urlType : (stored?.urlType ?? null);
  // A link keeps its url when its file was loaded into a table. Only a resource without any link consists of its table.
  const isOnlyTable = stored?.datastoreActive === true && ['', TABLE_ONLY].includes(stored.url);
  const hasTable = urlType === 'datastore' || (!urlType && isOnlyTable);
  if (url === '' && hasTable && change.isUrlOptional) return { url: TABLE_ONLY, urlType: 'datastore' };
  if (url === '' || (change.clear && left && file !== null)) add('url', 'Missing value');
  const runs = isScriptAddress(url);
  if (runs) add('url', SCRIPT_REFUSED);
  if (urlType === 'datastore' && (url === TABLE_ONLY || (stored && isOwnTable(url, stored))))
    return { url: TABLE_ONLY, urlType };
  if (urlType !== 'upload') return { url: linkOf(url), urlType };
  if (!url.includes('/')) return { url: url && cleanFileName(url), urlType };
  if (file === null) {
    // a file of another site
    if (!left && !runs && !WEB.test(url)) add('url', 'Must be an http or https URL, or the name of a file');
    return { url, urlType };
  }
  const moved = input.urlType === undefined && !isOwn(url, stored!.id);
  return moved ? { url: linkOf(url), urlType: null } : { url: file, urlType };
}

/** True for the address that the projector made for the resource, on any host. */
const isOwn = (url: string, id: string): boolean => url.includes(`/resource/${encodeURIComponent(id)}/download/`);

/** True for the address that the projector made for a table-only resource. */
const isOwnTable = (url: string, { id, url: before }: Stored): boolean =>
  before === TABLE_ONLY && url.endsWith(`/datastore/dump/${encodeURIComponent(id)}`);

/** Adds http:// to an address without a scheme. */
const linkOf = (url: string): string => (url === '' || SCHEME.test(url) || url.startsWith('/') ? url : `http://${url}`);

const MAX_LENGTH = 100;

/** A file name that is safe in an address, as recorded: no folders, ASCII letters in lower case, digits, `_`, `-` and `.`. */
function cleanFileName(name: string): string {
  const plain = name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    .normalize('NFKD')
    .toLowerCase();
  const clean = plain
    .trim()
    .replace(/ /g, '-')
    .replace(/[^a-z0-9_.-]/g, '')
    .replace(/^\.+(?=[^.]*$)/, 'file.')
    .replace(/^\.+/, '');
  if (clean.length <= MAX_LENGTH) return clean.replace(/\.$/, '') || 'file';
  const ending = /\.[a-z0-9]{1,10}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, MAX_LENGTH - ending.length) + ending;
}
