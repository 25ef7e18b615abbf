/**
 * A named statement as a query of our own for pg: from its second run on a connection on, it is only bound and executed.
 * pg itself has PostgreSQL describe the result every time, and works out again how each column is read; for the short
 * statements here that is a third of the work of both.
 */
import pg from 'pg';

/** What pg's connection offers to queries; its type declarations leave most of it out. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: 'P' }): void;
  execute(message: object): void;
  sync(): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

type Callback<Row> = (error: Error | null, rows: Row[]) => void;

/** How the columns of a statement's rows are called and read. */
interface Shape {
  readonly names: readonly string[];
  readonly readers: readonly ((text: string) => unknown)[];
}

const shapes = new WeakMap<Connection, Map<string, Shape>>();
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** pg sends several queries at once only where they are its own kind; everything it does is done anew below. */
const Query = pg.Query as unknown as new (text: string) => object;

/** One run of a named statement: hand it to `query` of a pool or client. The result is the list of rows, as objects. */
export class NamedQuery<Row> extends Query {
  readonly name: string;
  readonly text: string;
  /** pg puts its own here where it was not given. */
  callback: Callback<Row> | undefined;
  readonly #values: readonly unknown[];
  readonly #rows: Row[] = [];
  #shape: Shape | undefined;
  #failure: Error | null = null;
  #connection: Connection | undefined;

  constructor(name: string, text: string, values: readonly unknown[], callback?: Callback<Row>) {
    super(text);
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values.map((value) => prepareValue(value));
  }

  /** Called by pg when it is this query's turn. Answers an error where nothing was sent. */
  submit(connection: Connection): Error | null {
    const { name, text } = this;
    const parsed = connection.parsedStatements[name] ?? connection.submittedNamedStatements[name];
    if (parsed !== undefined && parsed !== text) return new Error(`Two statements are called ${name}`);
    this.#connection = connection;
    this.#shape = shapes.get(connection)?.get(name);
    connection.stream.cork();
    try {
      if (parsed === undefined) {
        connection.parse({ name, text });
        connection.submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values: this.#values });
      if (!this.#shape) connection.describe({ type: 'P' });
      connection.execute({});
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#learn({
      names: fields.map((field) => field.name),
      readers: fields.map((field) => pg.types.getTypeParser(field.dataTypeID, 'text') as (text: string) => unknown),
    });
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { names, readers } = this.#shape as Shape;
    const row: Record<string, unknown> = {};
    try {
      for (let i = 0; i < fields.length; i += 1) {
        const text = fields[i] as string | null;
        row[names[i] as string] = text === null ? null : (readers[i] as (text: string) => unknown)(text);
      }
    } catch (thrown) {
      this.#failure = thrown as Error;
    }
    this.#rows.push(row as Row);
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#failure, this.#rows);
  }

  handleError(error: Error): void {
    this.callback?.(error, []);
  }

  /** A statement without rows was not described at all. */
  handleCommandComplete(): void {
    if (!this.#shape) this.#learn({ names: [], readers: [] });
  }

  #learn(shape: Shape): void {
    this.#shape = shape;
    const connection = this.#connection as Connection;
    const known = shapes.get(connection);
    if (known) known.set(this.name, shape);
    else shapes.set(connection, new Map([[this.name, shape]]));
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
