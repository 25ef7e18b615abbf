/** A statement put together from fragments; what depends on the caller is always a bound value. */
export class Values {
  readonly list: unknown[] = [];

  /** A place for the value. */
  bind(value: unknown, type = ''): string {
    this.list.push(value);
    return `$${this.list.length}${type && `::${type}`}`;
  }
}
