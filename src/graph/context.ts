import type { Call } from '../kernel/call.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What resolvers see; it stays at these three. */
export interface GraphContext {
  readonly call: Call;
  readonly loaders: Loaders;
  /** Where an expected refusal of a mutation goes: thrown (facades), or data in the payload (/graphql). */
  readonly refusals: 'throw' | 'payload';
}

/** The context of one operation. Loaders are made when a resolver first asks for one: most operations need none. */
export function contextOf(call: Call, refusals: GraphContext['refusals']): GraphContext {
  let loaders: Loaders | undefined;
  return {
    call,
    refusals,
    get loaders() {
      loaders ??= createLoaders(call);
      return loaders;
    },
  };
}
