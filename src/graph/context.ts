import type { Call } from '../kernel/call.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What resolvers see; it stays at these three. */
export interface GraphContext {
  readonly call: Call;
  readonly loaders: Loaders;
  /** Where an expected refusal of a mutation goes: thrown (facades), or data in the payload (/graphql). */
  readonly refusals: 'throw' | 'payload';
}

/** Loaders are made when a resolver first asks for one: most operations need none. */
class Context implements GraphContext {
  readonly call: Call;
  readonly refusals: GraphContext['refusals'];
  #loaders: Loaders | undefined;

  constructor(call: Call, refusals: GraphContext['refusals']) {
    this.call = call;
    this.refusals = refusals;
  }

  get loaders(): Loaders {
    this.#loaders ??= createLoaders(this.call);
    return this.#loaders;
  }
}

/** The context of one operation. */
export const contextOf = (call: Call, refusals: GraphContext['refusals']): GraphContext => new Context(call, refusals);
