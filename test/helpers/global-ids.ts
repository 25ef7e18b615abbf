/**
 * Writes the global ids of an operation, so that tests can identify objects by name or database id. `withGlobalIds` encodes these texts as
 * global ids, and `withRealIds` replaces global ids that contain a name with the real ones.
 */
import {
  type GraphQLInputType,
  getDirectiveValues,
  getNamedType,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
  print,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { findIds } from '../../src/graph/federation/names.store.ts';
import { findExisting, hasNames } from '../../src/graph/node/ids.store.ts';
import { schema } from '../../src/graph/schema.ts';
import type { Db } from '../../src/infra/postgres/db.ts';
import { fromGlobalId, toGlobalId } from '../../src/kernel/ids.ts';

type Position = { readonly type: GraphQLInputType; readonly astNode?: any } | null | undefined;

function typeOf(at: Position): string | null {
  const values = at?.astNode && getDirectiveValues(schema.getDirective('idOf')!, at.astNode);
  return values ? (values.types as string[])[0]! : null;
}

const idFor = (type: string, text: string): string =>
  isObjectType(schema.getType(fromGlobalId(text)?.type ?? '')) ? text : toGlobalId(type, text);

function converted(value: unknown, type: string | null, input: GraphQLInputType): unknown {
  if (Array.isArray(value)) return value.map((item) => converted(item, type, input));
  if (typeof value === 'string') return type ? idFor(type, value) : value;
  const named = getNamedType(input);
  if (typeof value !== 'object' || value === null || !isInputObjectType(named)) return value;
  const fields = named.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      return [key, field ? converted(item, typeOf(field), field.type) : item];
    }),
  );
}

/** An operation with its global ids written, and the variables that contain global ids. */
interface Written {
  readonly query: string;
  readonly conversions: readonly { name: string; type: string | null; input: GraphQLInputType }[];
}

/** Written operations by their texts: tests send the same ones many times. */
const written = new Map<string, Written>();
const MAX_WRITTEN = 300;

/** Writes every text at a position of `@idOf` as a global id. Invalid operations are returned unchanged. */
export function withGlobalIds<Variables extends Record<string, unknown>>(
  query: string,
  variables: Variables,
): { query: string; variables: Variables } {
  const after: Record<string, unknown> = { ...variables };
  try {
    let known = written.get(query);
    if (!known) {
      if (written.size >= MAX_WRITTEN) written.clear();
      written.set(query, (known = write(query)));
    }
    for (const { name, type, input } of known.conversions)
      if (name in after) after[name] = converted(after[name], type, input);
    return { query: known.query, variables: after as Variables };
  } catch {
    return { query, variables };
  }
}

/** @throws GraphQLError for a text that cannot be parsed */
function write(query: string): Written {
  const conversions: { name: string; type: string | null; input: GraphQLInputType }[] = [];
  let isChanged = false;
  const info = new TypeInfo(schema);
  const read = (node: ValueNode, type: string): ValueNode | undefined => {
    if (node.kind === Kind.LIST) return { ...node, values: node.values.map((item) => read(item, type) ?? item) };
    if (node.kind === Kind.STRING) {
      isChanged = true;
      return { ...node, value: idFor(type, node.value) };
    }
    if (node.kind === Kind.VARIABLE) conversions.push({ name: node.name.value, type, input: info.getInputType()! });
    return undefined;
  };
  const document = visit(
    parse(query),
    visitWithTypeInfo(info, {
      VariableDefinition({ variable, type: node }) {
        const input = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]) as GraphQLInputType | undefined;
        if (input) conversions.push({ name: variable.name.value, type: null, input });
      },
      Argument(node) {
        const type = typeOf(info.getArgument());
        const value = type ? read(node.value, type) : undefined;
        return value && { ...node, value };
      },
      ObjectField(node) {
        const parent = getNamedType(info.getParentInputType());
        const type = isInputObjectType(parent) ? typeOf(parent.getFields()[node.name.value]) : null;
        const value = type ? read(node.value, type) : undefined;
        return value && { ...node, value };
      },
    }),
  );
  return { query: isChanged ? print(document) : query, conversions };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A request's body with the real global ids of named objects. Ids of unknown objects are unchanged. */
export async function withRealIds(db: Db, body: string): Promise<string> {
  const real = new Map<string, string>();
  for (const [token] of body.matchAll(/[A-Za-z0-9_-]{6,}/g)) {
    const made = real.has(token) ? null : fromGlobalId(token);
    if (!made || !hasNames(made.type) || UUID.test(made.id) || /[^\x20-\x7e]/.test(made.id)) continue;
    const found = await findNamed(db, made.type, made.id);
    if (found) real.set(token, found);
  }
  return real.size === 0 ? body : body.replace(/[A-Za-z0-9_-]{6,}/g, (token) => real.get(token) ?? token);
}

/** Types that one argument may accept. `withGlobalIds` writes the first of them. */
const TOGETHER = ['User', 'Dataset', 'Group', 'Organization'];

async function findNamed(db: Db, type: string, text: string): Promise<string | null> {
  for (const of of TOGETHER.includes(type) ? [type, ...TOGETHER] : [type]) {
    if ((await findExisting(db, of, [text])).has(text)) return toGlobalId(of, text);
    const id = await idOfNamed(db, of, text);
    if (id) return toGlobalId(of, id);
  }
  return null;
}

async function idOfNamed(db: Db, type: string, name: string): Promise<string | undefined> {
  if (type === 'Tag') return (await db.tag.findFirst({ where: { name, vocabularyId: null } }))?.id;
  if (type === 'HarvestSource') return (await db.harvestSource.findFirst({ where: { name } }))?.id;
  return (await findIds(db, type, [name])).get(name);
}
