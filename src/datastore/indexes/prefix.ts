/** Prefix of the names of automatic indexes. Names that PostgreSQL makes begin with that of the table, which cannot begin with `_`. */
export const PREFIX = '_auto_';
