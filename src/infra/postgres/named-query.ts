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

/** Goes before a statement that may not take long. What it sets ends with the statement's transaction: with the sync behind both. */
const TIMEOUT = { name: 'statement_timeout', text: "SELECT set_config('statement_timeout', $1, true)" };

/** pg sends several queries at once only where they are its own kind; everything it does is done anew below. */
const Query = pg.Query as unknown as new (text: string) => object;

/**
 * One run of a named statement: hand it to `query` of a pool or client. The result is the list of rows, as objects.
 * A statement whose name is empty is parsed each time. With `timeout`, PostgreSQL gives up after so many milliseconds;
 * not inside transactions, where it would hold for all that follows.
 */
export class NamedQuery<Row> extends Query {
  /** pg notes these two as parsed when PostgreSQL says that something is. */
  name: string;
  text: string;
  /** pg puts its own here where it was not given. */
  callback: Callback<Row> | undefined;
  readonly #statement: { readonly name: string; readonly text: string };
  readonly #values: readonly unknown[];
  readonly #timeout: number;
  readonly #rows: Row[] = [];
  /** While the answers are those of TIMEOUT. */
  #isBefore = false;
  #shape: Shape | undefined;
  #failure: Error | null = null;
  #connection: Connection | undefined;

  constructor(name: string, text: string, values: readonly unknown[], timeout = 0) {
    super(text);
    this.name = name;
    this.text = text;
    this.#statement = { name, text };
    this.#values = values.map((value) => prepareValue(value));
    this.#timeout = timeout;
  }

  /** Called by pg when it is this query's turn. Answers an error where nothing was sent. */
  submit(connection: Connection): Error | null {
    const { name, text } = this.#statement;
    const parsed = parsedText(connection, name);
    if (parsed !== undefined && parsed !== text) return new Error(`Two statements are called ${name}`);
    this.#connection = connection;
    this.#shape = name === '' ? undefined : shapes.get(connection)?.get(name);
    connection.stream.cork();
    try {
      if (this.#timeout > 0) {
        this.#isBefore = true;
        Object.assign(this, TIMEOUT);
        send(connection, TIMEOUT, [String(this.#timeout)]);
        connection.execute({});
      }
      send(connection, this.#statement, this.#values);
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
    if (this.#isBefore) return;
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
    if (this.#isBefore) {
      this.#isBefore = false;
      Object.assign(this, this.#statement);
    } else if (!this.#shape) this.#learn({ names: [], readers: [] });
  }

  #learn(shape: Shape): void {
    this.#shape = shape;
    const connection = this.#connection as Connection;
    const { name } = this.#statement;
    if (name === '') return;
    const known = shapes.get(connection);
    if (known) known.set(name, shape);
    else shapes.set(connection, new Map([[name, shape]]));
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

/** What a connection knows by a name, or is being told. */
const parsedText = (connection: Connection, name: string): string | undefined =>
  name === '' ? undefined : (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]);

function send(connection: Connection, statement: { name: string; text: string }, values: readonly unknown[]): void {
  const { name } = statement;
  if (parsedText(connection, name) === undefined) {
    connection.parse(statement);
    if (name !== '') connection.submittedNamedStatements[name] = statement.text;
  }
  connection.bind({ statement: name, values });
}
