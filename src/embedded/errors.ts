/** The embedded database cannot be used; the message says why and what to do, for the person at the terminal. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
}
