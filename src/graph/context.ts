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
export class Context implements GraphContext {
  readonly call: Call;
  readonly refusals: GraphContext['refusals'];
  /** No #field: Apollo Server copies contexts. */
  private made: Loaders | undefined;

  constructor(call: Call, refusals: GraphContext['refusals']) {
    this.call = call;
    this.refusals = refusals;
  }

  get loaders(): Loaders {
    this.made ??= createLoaders(this.call);
    return this.made;
  }

  /** Frees what loaders have read. */
  forget(): void {
    this.made = undefined;
  }
}

/** The context of one operation. */
export const contextOf = (call: Call, refusals: GraphContext['refusals']): GraphContext => new Context(call, refusals);
