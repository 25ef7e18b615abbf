/** Custom pg queries for statements that run once: one describes a statement without planning or running it, the other streams its rows. */
import { isDeepStrictEqual } from 'node:util';
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

/** Commands without rows that are sent with a statement, to save their round trips. After an error, the later ones do not run. */
export interface Around {
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** pg calls these on the current query. */
abstract class Once<Result> {
  /** Unnamed. */
  readonly name = '';
  readonly text: string;
  readonly #around: Around;
  callback: ((error: Error | null, result?: Result) => void) | undefined;

  constructor(text: string, around: Around) {
    this.text = text;
    this.#around = around;
  }

  protected abstract send(connection: Connection): void;
  protected abstract get result(): Result;

  submit(connection: Connection): Error | null {
    const { before = [], after = [] } = this.#around;
    connection.stream.cork();
    try {
      for (const text of before) sendCommand(connection, text);
      connection.parse({ name: '', text: this.text });
      this.send(connection);
      for (const text of after) sendCommand(connection, text);
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

function sendCommand(connection: Connection, text: string): void {
  connection.parse({ name: '', text });
  connection.bind({ values: [] });
  connection.execute({});
}

/** A column of a statement's rows, with its type's oid. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: number;
}

const describedOf = (fields: readonly Field[]): DescribedColumn[] =>
  fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));

class Described extends Once<DescribedColumn[]> {
  protected result: DescribedColumn[] = [];

  protected send(connection: Connection): void {
    connection.describe({ type: 'S' });
  }

  override handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.result = describedOf(fields);
  }
}

type Take = (row: readonly (string | null)[]) => void;

class Rows<Result = void> extends Once<Result> {
  protected result = undefined as Result;
  readonly #values: readonly unknown[];
  readonly #take: Take;
  #failure: Error | undefined;

  constructor(text: string, values: readonly unknown[], take: Take, around: Around) {
    super(text, around);
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
      this.stop(thrown as Error);
    }
  }

  /** Reports an error and ignores the remaining rows. */
  protected stop(failure: Error): void {
    this.#failure ??= failure;
    this.callback?.(failure);
  }

  override handleReadyForQuery(): void {
    if (!this.#failure) super.handleReadyForQuery();
  }

  override handleError(error: Error): void {
    if (!this.#failure) super.handleError(error);
  }
}

/** The rows have other columns than expected, and are too many to wait for their end. The result is incomplete, so close the connection. */
export class OtherColumns extends Error {}

/** Maximum characters of rows with other columns than expected: PostgreSQL sends them before the columns are compared. */
const MAX_DROPPED = 1_000_000;

/** How a read of expected columns ends: `failed` is one with other columns whose transaction failed. */
export type Outcome = 'passed' | 'differs' | 'failed';

/** Describes one statement and, if it has the expected columns, passes on the rows of another. */
class ExpectedRows extends Rows<Outcome> {
  readonly #expected: readonly DescribedColumn[];
  readonly #text: string;
  /** Null until the columns are described. */
  #fits: boolean | null = null;
  #dropped = 0;

  constructor(of: Expected, text: string, values: readonly unknown[], take: Take, around: Around) {
    super(of.text, values, take, around);
    this.#expected = of.columns;
    this.#text = text;
  }

  protected override send(connection: Connection): void {
    connection.describe({ type: 'S' });
    connection.parse({ name: '', text: this.#text });
    super.send(connection);
  }

  override handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fits = isDeepStrictEqual(describedOf(fields), this.#expected);
    this.result = this.#fits ? 'passed' : 'differs';
  }

  override handleDataRow(message: { fields: readonly (string | null)[] }): void {
    if (this.#fits) super.handleDataRow(message);
    else if (this.#dropped <= MAX_DROPPED) this.#drop(message.fields);
  }

  #drop(fields: readonly (string | null)[]): void {
    for (const field of fields) this.#dropped += field?.length ?? 0;
    if (this.#dropped > MAX_DROPPED) this.stop(new OtherColumns('the statement has other columns than expected'));
  }

  override handleError(error: Error): void {
    if (this.#fits) delete (error as { position?: string }).position; // it is one of the second statement
    if (this.#fits === false) this.callback?.(null, 'failed');
    else super.handleError(error);
  }
}

function sent<Result>(client: pg.ClientBase, query: Once<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result?: Result) => (error ? reject(error) : resolve(result as Result));
    (client.query as (query: object, values: undefined, done: unknown) => void)(query, undefined, done);
  });
}

/** Columns of a statement's rows, with type oids. Neither plans nor runs the statement. */
export const columnsOf = (client: pg.ClientBase, text: string, around: Around): Promise<DescribedColumn[]> =>
  sent(client, new Described(text, around));

/**
 * Runs a statement and passes on each row, as texts, as it arrives. An error of `take` is thrown at once; the result is
 * then incomplete, so close the connection.
 */
export const eachRow = (
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
  take: Take,
  around: Around,
): Promise<void> => sent(client, new Rows(text, values, take, around));

/** A statement that is described, and the columns that it should have. */
export interface Expected {
  readonly text: string;
  readonly columns: readonly DescribedColumn[];
}

/**
 * Describes one statement and runs another in one round trip, as `eachRow`. If the first one has other columns than expected, no row is
 * passed on. An error of the first one has its position. @throws OtherColumns
 */
export const eachExpectedRow = (
  client: pg.ClientBase,
  of: Expected,
  text: string,
  values: readonly unknown[],
  take: Take,
  around: Around,
): Promise<Outcome> => sent(client, new ExpectedRows(of, text, values, take, around));
