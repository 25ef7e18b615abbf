/**
 * Stores that record a span per statement: named by the statement, or by the model and action of Prisma, never with text or
 * values. Only calls with a span have them.
 */
import { type ActiveSpan, Description, descriptions, spanning, spanningStatement } from '../../kernel/trace.ts';
import type { CopyRequest, Datastore, DatastoreWork } from './datastore.ts';
import type { Db, Sql, Statement } from './db.ts';

const SYSTEM = { 'db.system.name': 'postgresql' };

const catalogStatement = descriptions(
  (name) => new Description(name, 'client', { ...SYSTEM, 'db.query.summary': name }),
);
const datastoreStatement = descriptions(
  (name) => new Description(name, 'client', { ...SYSTEM, 'db.namespace': 'datastore', 'db.query.summary': name }),
);
const TRANSACTION = new Description('transaction');

/** Verbs of statements without a name, whose text may contain names that callers chose. */
const VERB =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|COPY|CREATE|ALTER|DROP|LOCK|SET|BEGIN|COMMIT|ROLLBACK|EXPLAIN|NOTIFY)\b/i;
const nameOf = ({ name, text }: Statement): string => name ?? VERB.exec(text)?.[1]?.toUpperCase() ?? 'statement';

class TracedSql implements Sql {
  readonly source: Sql;
  readonly span: ActiveSpan;
  readonly #describe: (name: string) => Description;
  constructor(source: Sql, span: ActiveSpan, describe: (name: string) => Description) {
    this.source = source;
    this.span = span;
    this.#describe = describe;
  }
  rows<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> {
    return this.source.rows<Row>(statement, values, this.span.child(this.#describe(nameOf(statement))));
  }
}

export const sourceOfSql = (sql: Sql): Sql => (sql instanceof TracedSql ? sql.source : sql);

/** The span that statements of `sql` belong to; undefined without tracing. */
export const spanOfSql = (sql: Sql): ActiveSpan | undefined => (sql instanceof TracedSql ? sql.span : undefined);

/** `span` instead of another one. */
export const tracedSql = (sql: Sql, span: ActiveSpan, describe = catalogStatement): Sql =>
  new TracedSql(sourceOfSql(sql), span, describe);

/** Values by database connection, for caches. Calls of traced requests share them with all others. */
export class BySql<Value> {
  readonly #values = new WeakMap<Sql, Value>();
  get(sql: Sql): Value | undefined {
    return this.#values.get(sourceOfSql(sql));
  }
  set(sql: Sql, value: Value): void {
    this.#values.set(sourceOfSql(sql), value);
  }
  delete(sql: Sql): void {
    this.#values.delete(sourceOfSql(sql));
  }
}

const SOURCE = Symbol('source');

/** Clients without spans. Each look at a property of Prisma's client costs as much as a span. */
const sources = new WeakSet<Db>();

export function sourceOfDb<Client extends Db>(db: Client): Client {
  if (sources.has(db)) return db;
  const source = (db as { [SOURCE]?: Client })[SOURCE];
  if (source) return source;
  sources.add(db);
  return db;
}

/**
 * Prisma's client with a span per call, such as `dataset.findMany`. Its results are promises: they cannot be batched.
 * `source` has no spans.
 */
export function tracedDb<Client extends Db>(source: Client, span: ActiveSpan): Client {
  const models = new TracedModels(source, span);
  return new Proxy(models, models) as unknown as Client;
}

type Target = Record<PropertyKey, unknown>;

/** Its own target: after each trap, V8 asks the target again, and Prisma's client answers slowly. */
class TracedModels implements ProxyHandler<TracedModels> {
  readonly #source: Db;
  readonly #span: ActiveSpan;
  constructor(source: Db, span: ActiveSpan) {
    this.#source = source;
    this.#span = span;
  }
  has(_target: TracedModels, key: PropertyKey): boolean {
    return key in this.#source;
  }
  get(_target: TracedModels, key: PropertyKey): unknown {
    if (key === SOURCE) return this.#source;
    const value = (this.#source as unknown as Target)[key];
    if (typeof key === 'symbol' || (key as string).startsWith('$') || typeof value !== 'object' || value === null)
      return value;
    return new Proxy(value, new TracedActions(this.#span, key as string));
  }
}

class TracedActions implements ProxyHandler<object> {
  readonly #span: ActiveSpan;
  readonly #model: string;
  constructor(span: ActiveSpan, model: string) {
    this.#span = span;
    this.#model = model;
  }
  get(target: object, key: PropertyKey): unknown {
    const value = (target as Target)[key];
    if (typeof key === 'symbol' || typeof value !== 'function') return value;
    return (...parameters: unknown[]) => {
      const span = this.#span.child(catalogStatement(`${this.#model}.${key as string}`));
      return spanningStatement(span, value.apply(target, parameters) as Promise<unknown>);
    };
  }
}

/** The span of a transaction: its statements are inside. */
export const beginTransaction = (span: ActiveSpan) => span.child(TRANSACTION);
/**
 * The DataStore with a span per statement, and per read, copy and transaction. A class, because each request makes several:
 * closures for all members would cost more than the spans.
 */
class TracedDatastore implements Datastore {
  readonly source: Datastore;
  readonly #span: ActiveSpan;
  constructor(source: Datastore, span: ActiveSpan) {
    this.source = source;
    this.#span = span;
  }
  get sql(): Sql {
    return onDatastore(this.source.sql, this.#span);
  }
  get hasReader(): boolean {
    return this.source.hasReader;
  }
  get readsOneServer(): boolean {
    return this.source.readsOneServer;
  }
  get reader(): string | null {
    return this.source.reader;
  }
  get pools(): Datastore['pools'] {
    return this.source.pools;
  }
  search<T>(caller: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.source.search(caller, (sql) => work(onDatastore(sql, this.#span)));
  }
  read<T>(...[caller, bounds, work]: Parameters<typeof this.source.read<T>>): Promise<T> {
    return spanningStatement(this.#span.child(READ), this.source.read(caller, bounds, work));
  }
  copyOut<Found extends { readonly copy: Statement }>(request: CopyRequest<Found>) {
    const span = this.#span.child(COPY);
    const prepare = (sql: Sql) => request.prepare(onDatastore(sql, span));
    return spanning(span, this.source.copyOut({ ...request, prepare }));
  }
  write<T>(work: DatastoreWork<T>, signal?: AbortSignal): Promise<T> {
    const span = this.#span.child(DATASTORE_TRANSACTION);
    return spanning(
      span,
      this.source.write((sql, copy) => work(onDatastore(sql, span), copy), signal),
    );
  }
  writeWith<T, Settled>(
    work: DatastoreWork<T>,
    settle: (result: T) => Promise<Settled>,
    signal?: AbortSignal,
  ): Promise<Settled> {
    const span = this.#span.child(DATASTORE_TRANSACTION);
    return spanning(
      span,
      this.source.writeWith((sql, copy) => work(onDatastore(sql, span), copy), settle, signal),
    );
  }
  alone<T>(work: (sql: Sql) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.source.alone((sql) => work(onDatastore(sql, this.#span)), signal);
  }
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.source.exclusively(key, work);
  }
  close(): Promise<void> {
    return this.source.close();
  }
}

const READ = new Description('datastore read', 'client', { ...SYSTEM, 'db.namespace': 'datastore' });
const COPY = new Description('datastore copy', 'client', { ...SYSTEM, 'db.namespace': 'datastore' });
const DATASTORE_TRANSACTION = new Description('datastore transaction');
const onDatastore = (sql: Sql, span: ActiveSpan): Sql => tracedSql(sql, span, datastoreStatement);

export const tracedDatastore = (datastore: Datastore, span: ActiveSpan): Datastore =>
  new TracedDatastore(datastore instanceof TracedDatastore ? datastore.source : datastore, span);
