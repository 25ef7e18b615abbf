/** Safe property lookup (own properties only): undefined also for inherited keys, such as `constructor`. */
export const own = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
