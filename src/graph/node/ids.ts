/**
 * Global ids in arguments of the public schema: clients name objects by `id`, and resolvers get the id of the database. The full schema is
 * not wrapped, because facades pass the references of their contracts (`databaseId` or name), which resolvers take as they are.
 * For the same reason an id with a name in it, which no field returned, must not reach them: it would find the object by its name.
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
import type { Db } from '../../infra/postgres/db.ts';
import { CatalogError, type Problem } from '../../kernel/errors.ts';
import { fromGlobalId } from '../../kernel/ids.ts';
import { MAX_ITEMS, refusal } from '../../kernel/mutation.ts';
import type { GraphContext } from '../context.ts';
import { findExisting, hasNames } from './ids.store.ts';

type Path = readonly (string | number)[];
type Position = GraphQLArgument | GraphQLInputField;
/** Returns the value with decoded ids. Notes each invalid one, and each that may be a name. */
type Decode = (value: unknown, path: Path, noted: Noted) => unknown;

interface Noted {
  readonly problems: Problem[];
  readonly doubtful: GlobalId[];
  /** Ids (as sent) without an object. They are decoded as something that is neither an id nor a name. */
  readonly missing: ReadonlySet<string>;
}
interface GlobalId {
  readonly type: string;
  readonly id: string;
  readonly sent: string;
}
/** Whether a mutation has too many items. It is refused without a look-up. */
const isTooLong = ({ input }: Fields): boolean => {
  const { items } = (input ?? {}) as Fields;
  return Array.isArray(items) && items.length > MAX_ITEMS;
};
const NONE: ReadonlySet<string> = new Set();
const newNoted = (missing = NONE): Noted => ({ problems: [], doubtful: [], missing });
type Fields = Readonly<Record<string, unknown>>;
type Decoder = (args: Fields) => Fields;

/** Maximum characters of an invalid id in an error. */
const MAX_SHOWN = 100;

/**
 * Wraps the resolvers of fields with `@idOf` in their arguments, so that they get ids of the database. `full` is the schema with its
 * directives: the public schema is read from a file without them.
 */
export function decodingIds(schema: GraphQLSchema, full: GraphQLSchema): GraphQLSchema {
  const { holdsIds, fieldsDecoder } = createDecoders(typesOfIds(full));
  const mutation = schema.getMutationType();
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      const args = () => field.args;
      if (field.args.some(holdsIds(place))) wrap(field, fieldsDecoder(place, args), type === mutation);
    }
  }
  return schema;
}

/** Wraps the resolver of a field. `decode` decodes its arguments. */
function wrap(field: GraphQLField<unknown, GraphContext>, decode: Decode, isMutation: boolean): void {
  const { resolve, subscribe } = field;
  const unlessRefused = (result: Fields, { problems }: Noted): Fields => {
    if (problems.length > 0) throw refused(isMutation ? problems.map(insideInput) : problems);
    return result;
  };
  const decoderFor =
    (missing: ReadonlySet<string>): Decoder =>
    (args) => {
      const noted = newNoted(missing);
      return unlessRefused(decode(args, [], noted) as Fields, noted);
    };
  /** Calls `next` with a function that decodes arguments: at once, unless one of their ids must be looked up. */
  function withDecoder<Result>(args: Fields, { call }: GraphContext, next: (decoded: Decoder) => Result) {
    if (isTooLong(args)) return next(decoderFor(NONE));
    const noted = newNoted();
    const first = decode(args, [], noted) as Fields;
    return noted.doubtful.length === 0
      ? next((other) => (other === args ? unlessRefused(first, noted) : decoderFor(NONE)(other)))
      : missingAmong(call.db, noted.doubtful).then((missing) => next(decoderFor(missing)));
  }
  if (subscribe) {
    field.subscribe = (root, args, context, info) =>
      withDecoder(args, context, (decoded) => subscribe(root, decoded(args), context, info));
    return;
  }
  field.resolve = (root, args, context, info) =>
    withDecoder(args, context, (decoded) => {
      const run = (args: Fields) => resolve?.(root, args, context, info);
      if (!isMutation) return run(decoded(args));
      const { input } = args as { input: Fields };
      if (Array.isArray(input.items) && input.items.length <= MAX_ITEMS) return batch(input.items, decoded, run);
      return attempt(() => decoded(args), run, refusal);
    });
}

/** Finds and decodes ids by the declared types of positions. Each input type gets one decoder. */
function createDecoders(typesAt: ReadonlyMap<string, readonly string[]>) {
  const decoders = new Map<GraphQLInputObjectType, Decode>();
  return { holdsIds, fieldsDecoder };

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
    if (types) return each((value, path, noted) => decodeId(value, types, path, noted));
    const type = innerOf(at.type);
    if (!isInputObjectType(type) || !holdsIds(place)(at)) return null;
    if (!decoders.has(type)) decoders.set(type, each(fieldsDecoder(type.name, () => Object.values(type.getFields()))));
    return decoders.get(type)!;
  }

  /** Prepared on first use, because input types can contain themselves. */
  function fieldsDecoder(place: string, positions: () => readonly Position[]): Decode {
    let prepared: [string, Decode][] | undefined;
    return (value, path, noted) => {
      prepared ??= positions().flatMap((at) => {
        const decode = decoderOf(place, at);
        return decode ? [[at.name, decode]] : [];
      });
      const result: Record<string, unknown> = { ...(value as Fields) };
      for (const [name, decode] of prepared) {
        if (result[name] != null) result[name] = decode(result[name], [...path, name], noted);
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
  return function decodeEach(value, path, noted): unknown {
    if (Array.isArray(value)) return value.map((item, at) => decodeEach(item, [...path, at], noted));
    return value == null ? value : decode(value, path, noted);
  };
}

function decodeId(
  value: unknown,
  types: readonly string[],
  path: Path,
  { problems, doubtful, missing }: Noted,
): string {
  const sent = String(value);
  const given = fromGlobalId(sent);
  if (given && types.includes(given.type) && !given.id.includes('\0')) {
    if (!UUID.test(given.id) && hasNames(given.type)) doubtful.push({ ...given, sent });
    return missing.has(sent) ? sent : given.id;
  }
  const name = path.findLast((step) => typeof step === 'string');
  problems.push({
    path: [...path],
    message: `\`${name}\` must be the global id of ${anyOf(types)} (got ${given && isName(given.type) ? `the id of ${anyOf([given.type])}` : shown(value)})`,
  });
  return '';
}

/** Generated ids. Others are chosen ids or names. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ids, as sent, without an object of that id. One statement per type. */
async function missingAmong(db: Db, doubtful: readonly GlobalId[]): Promise<ReadonlySet<string>> {
  const types = [...new Set(doubtful.map(({ type }) => type))];
  const missing = await Promise.all(
    types.map(async (of) => {
      const ids = doubtful.filter(({ type }) => type === of);
      const existing = await findExisting(db, of, [...new Set(ids.map(({ id }) => id))]);
      return ids.flatMap(({ id, sent }) => (existing.has(id) ? [] : [sent]));
    }),
  );
  return new Set(missing.flat());
}

const isName = (type: string): boolean => /^[A-Z][A-Za-z]{1,30}$/.test(type);
const anyOf = (types: readonly string[]): string =>
  `${/^[AEIO]/.test(types[0]!) ? 'an' : 'a'} ${types.join(', ').replace(/, (?=\w+$)/, ' or ')}`;

function shown(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

/** Runs a batch without the items that have invalid ids. They are refused one by one, as other invalid items are. */
async function batch(items: readonly unknown[], decoded: Decoder, run: (args: Fields) => unknown) {
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
