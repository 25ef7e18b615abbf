import type { Call } from '../kernel/call.ts';
import type { FieldSpans } from './field-spans.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** The context of resolvers. It stays at these three fields. */
export interface GraphContext {
  readonly call: Call;
  readonly loaders: Loaders;
  /** Mutations throw expected errors to facades, and return them in the payload to clients of `/graphql`. Keys are shown to facades. */
  readonly caller: 'facade' | 'client';
  with(call: Call): GraphContext;
}

/** Creates loaders on first use, because most operations need none. */
export class Context implements GraphContext {
  readonly call: Call;
  readonly caller: GraphContext['caller'];
  /** Not a #field, because Apollo Server copies contexts. */
  private made: Loaders | undefined;
  /** Spans of fields; null without a trace. */
  readonly fields: FieldSpans | null;

  constructor(call: Call, caller: GraphContext['caller'], fields: FieldSpans | null = null) {
    this.call = call;
    this.caller = caller;
    this.fields = fields;
  }

  get loaders(): Loaders {
    this.made ??= createLoaders(this.call);
    return this.made;
  }

  /** The same operation with another call, and without the data that loaders have read. */
  with(call: Call): GraphContext {
    return new Context(call, this.caller, this.fields?.with(call));
  }

  /** Frees the data that loaders have read. */
  forget(): void {
    this.made = undefined;
  }
}

/** The context of one operation. */
export const contextOf = (call: Call, caller: GraphContext['caller'], fields?: FieldSpans): GraphContext =>
  new Context(call, caller, fields);
