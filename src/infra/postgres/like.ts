/** A text as part of a LIKE pattern: it matches only itself. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
