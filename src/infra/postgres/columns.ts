/** The column of a field: its name in snake case. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A text as part of a LIKE pattern: it matches only itself. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
