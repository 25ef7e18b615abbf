/** Error of the embedded database. Its message tells the user the cause and the remedy. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
}
