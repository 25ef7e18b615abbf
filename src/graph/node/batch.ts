/** Loads objects of any type, for fields with several possible types. Not a `*.loaders.ts`, because it combines all features. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { MAX_NODES, nodesShow } from './node.service.ts';
import { nodeReaders } from './readers.ts';

export const nodeLoaders = (call: Call) => ({
  /** An object by global id, as `node` returns it. Null when it does not exist, or the caller may not read it. */
  nodeByGlobalId: new DataLoader<string, object | null>((ids) => nodesShow(nodeReaders, call, ids), {
    maxBatchSize: MAX_NODES,
  }),
});
