/** Runs operations on the full schema in process, as facades do, with answers like those of `/graphql`. */
import { type DocumentNode, execute, type GraphQLError, parse, validate } from 'graphql';
import { pino } from 'pino';
import { identify } from '../../src/accounts/identity/identity.service.ts';
import type { App } from '../../src/app.ts';
import { contextOf } from '../../src/graph/context.ts';
import { createFormatError } from '../../src/graph/format-error.ts';
import { publicSchema, schema } from '../../src/graph/schema.ts';
import { anonymous } from '../../src/kernel/call.ts';

const format = createFormatError(pino({ level: 'silent' }));

/** Whether `/graphql` has this field of Query or Mutation. */
export const isPublic = (field: string): boolean =>
  [publicSchema.getQueryType(), publicSchema.getMutationType()].some((type) => type && field in type.getFields());

/** Parsed and validated operations by their texts: walks over the graph run the same ones many times. */
const opened = new Map<string, { document: DocumentNode; problems: readonly GraphQLError[] }>();
const MAX_OPENED = 300;

function open(query: string) {
  const before = opened.get(query);
  if (before) return before;
  const document = parse(query);
  const made = { document, problems: validate(schema, document) };
  if (opened.size >= MAX_OPENED) opened.clear();
  opened.set(query, made);
  return made;
}

export async function onFullSchema(app: App, query: string, variables: Record<string, unknown>, key?: string) {
  const { document, problems } = open(query);
  const call = app.callAs(anonymous('test'));
  const as = key === undefined ? call : app.callAs(await identify(call, key));
  const result =
    problems.length > 0
      ? { errors: problems }
      : await execute({
          schema,
          document,
          variableValues: variables,
          contextValue: contextOf(as, 'client'),
        });
  const errors = result.errors?.map((error: GraphQLError) => format(error.toJSON(), error, 'test'));
  const body = JSON.parse(JSON.stringify({ ...result, ...(errors && { errors }) }));
  return { status: problems.length > 0 ? 400 : 200, headers: new Headers(), body, text: JSON.stringify(body) };
}
