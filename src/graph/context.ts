import type { Call } from '../kernel/call.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** The context of resolvers. It stays at these three fields. */
export interface GraphContext {
  readonly call: Call;
  readonly loaders: Loaders;
  /** Whether a mutation throws expected errors (facades) or returns them in its payload (`/graphql`). */
  readonly refusals: 'throw' | 'payload';
}

/** Creates loaders on first use, because most operations need none. */
export class Context implements GraphContext {
  readonly call: Call;
  readonly refusals: GraphContext['refusals'];
  /** Not a #field, because Apollo Server copies contexts. */
  private made: Loaders | undefined;

  constructor(call: Call, refusals: GraphContext['refusals']) {
    this.call = call;
    this.refusals = refusals;
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
export const contextOf = (call: Call, refusals: GraphContext['refusals']): GraphContext => new Context(call, refusals);
