/**
 * Global ids in arguments of the public schema: clients name objects by `id`, and resolvers get the id of the database. The full schema is
 * not wrapped, because facades pass the references of their contracts (`databaseId` or name), which resolvers take as they are.
 */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getDirectiveValues,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { CatalogError, type Problem } from '../../kernel/errors.ts';
import { fromGlobalId } from '../../kernel/ids.ts';
import { MAX_ITEMS, refusal } from '../../kernel/mutation.ts';
import type { GraphContext } from '../context.ts';

type Path = readonly (string | number)[];
type Position = GraphQLArgument | GraphQLInputField;
/** Returns the value with decoded ids. Adds a problem for each invalid one. */
type Decode = (value: unknown, path: Path, problems: Problem[]) => unknown;
type Fields = Readonly<Record<string, unknown>>;

/** Maximum characters of an invalid id in an error. */
const MAX_SHOWN = 100;

/**
 * Wraps the resolvers of fields with `@idOf` in their arguments, so that they get ids of the database. `full` is the schema with its
 * directives: the public schema is read from a file without them.
 */
export function decodingIds(schema: GraphQLSchema, full: GraphQLSchema): GraphQLSchema {
  const typesAt = typesOfIds(full);
  const decoders = new Map<GraphQLInputObjectType, Decode>();
  const mutation = schema.getMutationType();
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      if (field.args.some(holdsIds(place))) wrap(field, place, type === mutation);
    }
  }
  return schema;

  function wrap(field: GraphQLField<unknown, GraphContext>, place: string, isMutation: boolean): void {
    const { resolve, subscribe } = field;
    const decode = fieldsDecoder(place, () => field.args);
    const decoded = (args: Fields): Fields => {
      const problems: Problem[] = [];
      const result = decode(args, [], problems) as Fields;
      if (problems.length > 0) throw refused(isMutation ? problems.map(insideInput) : problems);
      return result;
    };
    if (subscribe) {
      field.subscribe = (root, args, context, info) => subscribe(root, decoded(args), context, info);
      return;
    }
    field.resolve = (root, args, context, info) => {
      const run = (args: Fields) => resolve?.(root, args, context, info);
      if (!isMutation) return run(decoded(args));
      const { input } = args as { input: Fields };
      if (Array.isArray(input.items) && input.items.length <= MAX_ITEMS) return batch(input.items, decoded, run);
      return attempt(() => decoded(args), run, refusal);
    };
  }

  /** Whether a position has ids, directly or in fields of its type. */
  function holdsIds(place: string, seen = new Set<GraphQLInputType>()): (at: Position) => boolean {
    return (at) => {
      if (typesAt.has(`${place}.${at.name}`)) return true;
      const type = innerOf(at.type);
      if (!isInputObjectType(type) || seen.has(type)) return false;
      seen.add(type);
      return Object.values(type.getFields()).some(holdsIds(type.name, seen));
    };
  }

  function decoderOf(place: string, at: Position): Decode | null {
    const types = typesAt.get(`${place}.${at.name}`);
    if (types) return each((value, path, problems) => decodeId(value, types, path, problems));
    const type = innerOf(at.type);
    if (!isInputObjectType(type) || !holdsIds(place)(at)) return null;
    if (!decoders.has(type)) decoders.set(type, each(fieldsDecoder(type.name, () => Object.values(type.getFields()))));
    return decoders.get(type)!;
  }

  /** Prepared on first use, because input types can contain themselves. */
  function fieldsDecoder(place: string, positions: () => readonly Position[]): Decode {
    let prepared: [string, Decode][] | undefined;
    return (value, path, problems) => {
      prepared ??= positions().flatMap((at) => {
        const decode = decoderOf(place, at);
        return decode ? [[at.name, decode]] : [];
      });
      const result: Record<string, unknown> = { ...(value as Fields) };
      for (const [name, decode] of prepared) {
        if (result[name] != null) result[name] = decode(result[name], [...path, name], problems);
      }
      return result;
    };
  }
}

/** `Type.field.argument` or `Input.field` → types of its ids. */
function typesOfIds(full: GraphQLSchema): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const note = (place: string, { astNode }: Position): void => {
    const values = astNode && getDirectiveValues(full.getDirective('idOf')!, astNode);
    if (values) found.set(place, values.types as readonly string[]);
  };
  for (const type of Object.values(full.getTypeMap())) {
    if (!isInputObjectType(type) && !isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!('args' in field)) note(`${type.name}.${field.name}`, field);
      else for (const arg of field.args) note(`${type.name}.${field.name}.${arg.name}`, arg);
    }
  }
  return found;
}

/** The messages name the argument. */
const refused = (problems: readonly Problem[]): CatalogError =>
  new CatalogError('VALIDATION', problems.map(({ message }) => message).join('; '), problems);

/** Errors of a mutation have paths inside `input`. */
const insideInput = ({ path, message }: Problem): Problem => ({ path: path.slice(1), message });

function innerOf(type: GraphQLInputType): GraphQLInputType {
  const inner = getNullableType(type);
  return isListType(inner) ? innerOf(inner.ofType) : inner;
}

/** Decodes a value, or each item of a list. */
function each(decode: Decode): Decode {
  return function decodeEach(value, path, problems): unknown {
    if (Array.isArray(value)) return value.map((item, at) => decodeEach(item, [...path, at], problems));
    return value == null ? value : decode(value, path, problems);
  };
}

function decodeId(value: unknown, types: readonly string[], path: Path, problems: Problem[]): string {
  const given = fromGlobalId(String(value));
  if (given && types.includes(given.type) && !given.id.includes('\0')) return given.id;
  const name = path.findLast((step) => typeof step === 'string');
  problems.push({
    path: [...path],
    message: `\`${name}\` must be the global id of ${anyOf(types)} (got ${given && isName(given.type) ? `the id of ${anyOf([given.type])}` : shown(value)})`,
  });
  return '';
}

const isName = (type: string): boolean => /^[A-Z][A-Za-z]{1,30}$/.test(type);
const anyOf = (types: readonly string[]): string =>
  `${/^[AEIO]/.test(types[0]!) ? 'an' : 'a'} ${types.join(', ').replace(/, (?=\w+$)/, ' or ')}`;

function shown(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

/** Runs a batch without the items that have invalid ids. They are refused one by one, as other invalid items are. */
async function batch(items: readonly unknown[], decoded: (args: Fields) => Fields, run: (args: Fields) => unknown) {
  const read = items.map((item) =>
    attempt(
      () => (decoded({ input: { items: [item] } }).input as { items: unknown[] }).items[0],
      accepted,
      refusedItem,
    ),
  );
  const valid = read.flatMap((item) => ('item' in item ? [item.item] : []));
  const payload = (await run({ input: { items: valid } })) as { results?: unknown[] | null };
  if (!payload.results) return payload;
  const results = [...payload.results];
  return { ...payload, results: read.map((item) => ('errors' in item ? item : results.shift())) };
}
const accepted = (item: unknown) => ({ item });
/** Problems have paths inside the item. */
const refusedItem = (error: CatalogError) =>
  refusal(refused(error.problems.map(({ path, message }) => ({ path: path.slice(2), message }))));

function attempt<Value, Result, Refused>(
  work: () => Value,
  next: (value: Value) => Result,
  refused: (error: CatalogError) => Refused,
): Result | Refused {
  let value: Value;
  try {
    value = work();
  } catch (thrown) {
    return refused(thrown as CatalogError);
  }
  return next(value);
}
