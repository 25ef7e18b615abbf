/**
 * Spans of operations and fields. Only schemas of sites with traces call `traceFields`, and only operations with a span
 * record fields: root fields, and fields below them that use the call or a loader. A field inside a list has one span.
 */
import {
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getOperationAST,
  isObjectType,
} from 'graphql';
import type { Call } from '../kernel/call.ts';
import { type ActiveSpan, Description, descriptions } from '../kernel/trace.ts';
import type { Context, GraphContext } from './context.ts';
import { FieldSpans, type Path, type TracedField } from './field-spans.ts';
import { type Loaders, usingLoaders } from './loaders.ts';

/** The context of one field. A field without a span gets one when it uses the call or loaders. */
class FieldContext implements GraphContext {
  readonly #base: Context;
  readonly #fields: FieldSpans;
  readonly #path: Path;
  readonly #description: Description;
  field: TracedField | null = null;

  constructor(base: Context, fields: FieldSpans, path: Path, description: Description) {
    this.#base = base;
    this.#fields = fields;
    this.#path = path;
    this.#description = description;
  }
  open(): TracedField {
    this.field ??= this.#fields.at(this.#path, this.#description);
    return this.field;
  }
  get call(): Call {
    return this.open().call;
  }
  get loaders(): Loaders {
    return usingLoaders(this.#base.loaders, (feature) => this.#fields.callOfLoaders(feature, this.open()));
  }
  get caller(): GraphContext['caller'] {
    return this.#base.caller;
  }
  with(call: Call): GraphContext {
    return this.#base.with(call);
  }
}

const fieldBy = descriptions((name) => new Description(name));

/** Parameters of a resolver that uses the context. Others have no work of their own. */
const WITH_CONTEXT = 3;

/** Makes resolvers of a schema record spans. The schema must not be shared with sites without traces. */
export function traceFields<Schema extends GraphQLSchema>(schema: Schema): Schema {
  const roots = new Set([schema.getQueryType(), schema.getMutationType()]);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isRoot = roots.has(type);
    for (const field of Object.values(type.getFields()))
      if (field.resolve && (isRoot || field.resolve.length >= WITH_CONTEXT))
        field.resolve = traced(field.resolve, fieldBy(`${type.name}.${field.name}`), isRoot);
  }
  return schema;
}

type Resolve = GraphQLFieldResolver<unknown, Context>;

const traced =
  (resolve: Resolve, description: Description, isRoot: boolean): Resolve =>
  (source, args, context, info) => {
    const { fields } = context;
    if (!fields) return resolve(source, args, context, info);
    const own = new FieldContext(context, fields, info.path, description);
    if (isRoot) own.open();
    let result: unknown;
    try {
      result = resolve(source, args, own as unknown as Context, info);
    } catch (thrown) {
      finish(own, true);
      throw thrown;
    }
    if (!own.field) return result;
    if (result instanceof Promise)
      result.then(
        () => finish(own, false),
        () => finish(own, true),
      );
    else finish(own, false);
    return result;
  };

function finish({ field }: FieldContext, hasFailed: boolean): void {
  if (!field) return;
  field.ended = performance.now();
  if (hasFailed) field.hasFailed = true;
}

const operationBy = descriptions((name) => new Description(name, 'internal', attributesOf(name)));

function attributesOf(name: string): Record<string, string> {
  const [type = '', operation] = name.split(' ');
  return { 'graphql.operation.type': type, ...(operation && { 'graphql.operation.name': operation }) };
}

/** The description of an operation. `name` is one that the catalog or its operator has chosen; null for a client's. */
export const describeOperation = (type: string, name: string | null): Description =>
  operationBy(name === null ? type : `${type} ${name}`);

const known = new WeakMap<DocumentNode, Description>();

/** The description of a document of the catalog. */
export function describeDocument(document: DocumentNode): Description {
  let description = known.get(document);
  if (!description) {
    const operation = getOperationAST(document);
    description = describeOperation(operation?.operation ?? 'query', operation?.name?.value ?? null);
    known.set(document, description);
  }
  return description;
}

export const traceOperation = (call: Call, parent: ActiveSpan): FieldSpans =>
  new FieldSpans(parent.child(OPERATION), call);

const OPERATION = new Description('operation');

/** Ends the spans of an operation. */
export function endOperation(fields: FieldSpans, description: Description, hasFailed: boolean): void {
  const { span } = fields.operation;
  const at = performance.now();
  fields.end(at);
  span.description = description;
  span.trace.graphTime += span.end(hasFailed, at);
}
