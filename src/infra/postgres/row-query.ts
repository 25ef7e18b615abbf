/** Custom pg queries for statements that run once: one describes a statement without planning or running it, the other streams its rows. */
import pg from 'pg';

/** Members of pg's connection for queries; its type declarations omit most of them. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { values: readonly unknown[] }): void;
  describe(message: { type: 'S' }): void;
  execute(message: object): void;
  sync(): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** pg calls these on the current query. */
abstract class Once<Result> {
  /** Unnamed. */
  readonly name = '';
  readonly text: string;
  callback: ((error: Error | null, result?: Result) => void) | undefined;

  constructor(text: string) {
    this.text = text;
  }

  protected abstract send(connection: Connection): void;
  protected abstract get result(): Result;

  submit(connection: Connection): Error | null {
    connection.stream.cork();
    try {
      connection.parse({ name: '', text: this.text });
      this.send(connection);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleReadyForQuery(): void {
    this.callback?.(null, this.result);
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleRowDescription(_message: { fields: readonly Field[] }): void {}
  handleDataRow(_message: { fields: readonly (string | null)[] }): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

class Described extends Once<{ name: string; type: number }[]> {
  protected result: { name: string; type: number }[] = [];

  protected send(connection: Connection): void {
    connection.describe({ type: 'S' });
  }

  override handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.result = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
  }
}

class Rows extends Once<void> {
  protected readonly result = undefined;
  readonly #values: readonly unknown[];
  readonly #take: (row: readonly (string | null)[]) => void;
  #failure: Error | undefined;

  constructor(text: string, values: readonly unknown[], take: (row: readonly (string | null)[]) => void) {
    super(text);
    this.#values = values.map((value) => prepareValue(value));
    this.#take = take;
  }

  protected send(connection: Connection): void {
    connection.bind({ values: this.#values });
    connection.execute({});
  }

  override handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#failure) return;
    try {
      this.#take(fields);
    } catch (thrown) {
      this.#failure = thrown as Error;
      this.callback?.(this.#failure);
    }
  }

  override handleReadyForQuery(): void {
    if (!this.#failure) super.handleReadyForQuery();
  }

  override handleError(error: Error): void {
    if (!this.#failure) super.handleError(error);
  }
}

function sent<Result>(client: pg.ClientBase, query: Once<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result?: Result) => (error ? reject(error) : resolve(result as Result));
    (client.query as (query: object, values: undefined, done: unknown) => void)(query, undefined, done);
  });
}

/** Columns of a statement's rows, with type oids. Neither plans nor runs the statement. */
export const columnsOf = (client: pg.ClientBase, text: string): Promise<{ name: string; type: number }[]> =>
  sent(client, new Described(text));

/**
 * Runs a statement and passes on each row, as texts, as it arrives. An error of `take` is thrown at once; the result is
 * then incomplete, so close the connection.
 */
export const eachRow = (
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
  take: (row: readonly (string | null)[]) => void,
): Promise<void> => sent(client, new Rows(text, values, take));
