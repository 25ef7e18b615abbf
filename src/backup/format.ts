/** The format of a backup: a tar archive of members in a fixed order. Described in docs/decisions/0043-backups.md. */

/** A backup or restore cannot be done. Its message tells the cause and the remedy. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Version of the format. A program restores this version and all older ones. */
export const FORMAT = 1;

/** Bytes of content in one member before compression. A reader holds one member in memory. */
export const PART = 8 * 2 ** 20;
/** Maximum bytes of a stored member: compression can make random bytes slightly longer. */
export const MAX_MEMBER = PART + 2 ** 20;

/** The first member. */
export interface Head {
  readonly format: number;
  /** Release of the program. */
  readonly program: string;
  /** The point in time, by the clock of the catalog's database. */
  readonly at: string;
  /** Version of PostgreSQL. */
  readonly postgresql: string;
  readonly migrations: readonly AppliedMigration[];
  /** Whether there is a DataStore. */
  readonly datastore: boolean;
  /** Whether the files are in the archive. */
  readonly files: boolean;
  /** Settings that differ from their default; passwords are hidden. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Other texts are not printed: terminals obey control characters. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && /^[\w.+:-]{1,100}$/.test(value);

/** Whether this is a head that `catalog backup` writes, at least of a newer format. */
export function isHead(value: unknown): value is Head {
  const { format, program, at, migrations, settings } = Object(value) as Partial<Record<keyof Head, unknown>>;
  if (!Number.isSafeInteger(format) || !isPlain(program)) return false;
  if ((format as number) > FORMAT) return true;
  return (
    isPlain(at) &&
    Array.isArray(migrations) &&
    migrations.every((it) => isPlain(it?.name) && isPlain(it.checksum)) &&
    typeof settings === 'object' &&
    settings !== null &&
    Object.keys(settings).every(isPlain)
  );
}

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** The first member of a table of the catalog. */
export interface CatalogTable {
  readonly columns: readonly string[];
  readonly sequences: readonly Sequence[];
}

/** The number generator of a column. */
export interface Sequence {
  readonly column: string;
  readonly last: string;
  readonly isCalled: boolean;
}

/** The first member of a table of the DataStore. */
export interface DatastoreTable {
  readonly name: string;
  /** In order, with `_id` and `_full_text`. */
  readonly columns: readonly { readonly name: string; readonly type: string; readonly info: unknown }[];
  readonly indexes: readonly { readonly columns: readonly string[]; readonly unique: boolean }[];
  readonly aliases: readonly string[];
  readonly sequence: Sequence | null;
}

/** The first member of a file. */
export interface FileHead {
  /** True if the store did not have the file. */
  readonly isMissing: boolean;
}

/** The last member of a table or file. */
export interface Footer {
  /** Rows of a table; null for a file. */
  readonly rows: number | null;
}

/** The last member. */
export interface End {
  /** Number of members before it. */
  readonly members: number;
  /** SHA-256 of their names, which contain the SHA-256 of their contents. */
  readonly chain: string;
}

export type Kind = 'json' | 'gz' | 'bin';

export interface Member {
  /** `head`, `secret`, `datastore/000001`, `catalog/dataset`, `files/<key>` or `end`. */
  readonly folder: string;
  readonly number: number;
  readonly kind: Kind;
  readonly content: Buffer;
}

/** No other name is accepted, so none leads out of a folder. */
const NAME =
  /^(head|secret|end|datastore\/\d{6}|catalog\/[a-z_]{1,63}|files\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(\d{6})-([0-9a-f]{64})\.(json|gz|bin)$/;

export const nameOf = (folder: string, number: number, sha256: string, kind: Kind): string =>
  `${folder}/${String(number).padStart(6, '0')}-${sha256}.${kind}`;

/** Null for a name that no backup has. */
export function readName(
  name: string,
): { readonly folder: string; readonly number: number; readonly sha256: string; readonly kind: Kind } | null {
  const [, folder, number, sha256, kind] = NAME.exec(name) ?? [];
  return folder === undefined ? null : { folder, number: Number(number), sha256: sha256!, kind: kind as Kind };
}
