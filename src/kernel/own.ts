/** What a table has under a key that somebody else gave; undefined also for what every object inherits, such as `constructor`. */
export const own = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
