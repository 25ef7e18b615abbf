/** The address of a resource: a link's as given, a file's by its name alone. The projector makes the whole address of it. Pure. */
import { isKeptFile, type ResourceRow, TABLE_ONLY } from '../../document/project.ts';
import type { ResourceInput } from './input.ts';

/** A new file of a resource. */
export interface FileFacts {
  /** As the client had it. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Whether `size` and `mimetype` of the resource are taken from it. */
  readonly fillsFields: boolean;
}

/** What happens to the file of a resource: a new one comes, or the one there is goes. */
export interface FileChange {
  readonly upload?: FileFacts | undefined;
  readonly clear?: boolean;
  /** Whether a resource with a table or a new file needs no address (`catalog.resources.url_optional`). */
  readonly isUrlOptional?: boolean;
}

type Stored = Pick<ResourceRow, 'id' | 'url' | 'urlType'> & Partial<Pick<ResourceRow, 'datastoreActive'>>;
type Address = Pick<ResourceRow, 'url' | 'urlType'>;

const SCRIPT = /^(javascript|vbscript|data):/i;
/** Browsers pass over them at the start of an address, and over some of them anywhere in it. */
const PASSED_OVER = /[\p{Cc}\s]/gu;
const WEB = /^https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** What is said of an address that `isScriptAddress` finds. */
export const SCRIPT_REFUSED = 'Must not be a script or data URL';

/** True for an address that would run in the browser of whoever follows it; control characters and spaces hide none. */
export const isScriptAddress = (text: string): boolean => SCRIPT.test(text.replace(PASSED_OVER, ''));

/** Contract: a resource has a url; with a new file what it says is left aside. `add` is told what is wrong with it. */
export function draftAddress(
  input: ResourceInput,
  stored: Stored | undefined,
  change: FileChange,
  add: (field: string, message: string) => void,
): Address {
  if (change.upload !== undefined) {
    // As recorded, a file alone does not do: url must be there, if empty. Today's clients leave it out and give a name.
    if (input.url === undefined && !input.name && !stored && !change.isUrlOptional) add('url', 'Missing value');
    return { url: cleanFileName(change.upload.name), urlType: 'upload' };
  }
  const file = stored && isKeptFile(stored) ? stored.url : null;
  const left = input.url === undefined && stored !== undefined;
  const url = left ? stored.url : (input.url ?? '').trim();
  const urlType = change.clear ? '' : input.urlType !== undefined ? input.urlType : (stored?.urlType ?? null);
  // A link keeps its url when its file was loaded into a table: only a resource without any link is nothing but a table.
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

/** True for the address that the projector made for the resource, on whatever host it was read. */
const isOwn = (url: string, id: string): boolean => url.includes(`/resource/${encodeURIComponent(id)}/download/`);

/** True for the address that the projector made for a resource that is nothing but a table. */
const isOwnTable = (url: string, { id, url: before }: Stored): boolean =>
  before === TABLE_ONLY && url.endsWith(`/datastore/dump/${encodeURIComponent(id)}`);

/** An address without a scheme gets http://. */
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
