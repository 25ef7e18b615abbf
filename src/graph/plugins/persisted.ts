/** Apollo plugin that finds the text of persisted and trusted documents. */
import type { GraphPlugin } from '../execution/operation.ts';
import type { FindDocument } from '../persisted/persisted.ts';

/** Replaces an unknown document by an empty comment, because Apollo Server only continues with a text. */
const NO_DOCUMENT = '#';

export const persistedOperations = (find: FindDocument): GraphPlugin => ({
  async requestDidStart({ request, contextValue: { operation } }) {
    const { parameters } = operation.request;
    try {
      operation.found = find(parameters);
      request.query = operation.found.text;
    } catch (thrown) {
      operation.refusal = thrown;
      request.query = NO_DOCUMENT;
    }
    const { persistedQuery, ...extensions } = request.extensions ?? {};
    if (!persistedQuery && parameters.documentId === null) return;
    request.extensions = extensions; // Apollo Server refuses the extension, which is resolved here
    return {
      async didResolveSource({ metrics }) {
        metrics.persistedQueryHit = parameters.query === null && operation.found !== undefined;
        metrics.persistedQueryRegister = parameters.query !== null && operation.found !== undefined;
      },
    };
  },
});
