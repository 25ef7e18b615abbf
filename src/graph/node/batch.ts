/** The loader of objects of any type, for fields that are one of many. Not a `*.loaders.ts`: it puts those of all features together. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { MAX_NODES, nodesShow } from './node.service.ts';
import { nodeReaders } from './readers.ts';

export const nodeLoaders = (call: Call) => ({
  /** An object by global id, as `node` reads it; null where there is none or the caller may not read it. */
  nodeByGlobalId: new DataLoader<string, object | null>((ids) => nodesShow(nodeReaders, call, ids), {
    maxBatchSize: MAX_NODES,
  }),
});
