import type { Call } from '../kernel/call.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** The context of resolvers. It stays at these three fields. */
export interface GraphContext {
  readonly call: Call;
  readonly loaders: Loaders;
  /** Mutations throw expected errors to facades, and return them in the payload to clients of `/graphql`. Keys are shown to facades. */
  readonly caller: 'facade' | 'client';
}

/** Creates loaders on first use, because most operations need none. */
export class Context implements GraphContext {
  readonly call: Call;
  readonly caller: GraphContext['caller'];
  /** Not a #field, because Apollo Server copies contexts. */
  private made: Loaders | undefined;

  constructor(call: Call, caller: GraphContext['caller']) {
    this.call = call;
    this.caller = caller;
  }

  get loaders(): Loaders {
    this.made ??= createLoaders(this.call);
    return this.made;
  }

  /** Frees the data that loaders have read. */
  forget(): void {
    this.made = undefined;
  }
}

/** The context of one operation. */
export const contextOf = (call: Call, caller: GraphContext['caller']): GraphContext => new Context(call, caller);
