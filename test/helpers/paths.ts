/** Paths from Query to every object type that appears in a list, for walks over the whole graph. */
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { isLookUp } from './questions.ts';

type Field = GraphQLField<unknown, unknown>;

/** One path to a type: fields with their arguments, outermost first; `on` if a field's type is abstract. */
export interface Way {
  readonly type: GraphQLObjectType;
  readonly steps: readonly Step[];
  /** Whether the path contains a list. */
  readonly listed: boolean;
}

interface Step {
  readonly name: string;
  readonly text: string;
  readonly on: string | null;
}

/** `Type.field` → its arguments, written as in an operation, or null to skip the field. Other fields get no arguments. */
export type Arguments = Readonly<Record<string, string | null>>;

export class Paths {
  readonly #schema: GraphQLSchema;
  readonly #given: Arguments;

  constructor(schema: GraphQLSchema, given: Arguments) {
    this.#schema = schema;
    this.#given = given;
  }

  /** Paths to every type, shortest first. Of paths with lists, it returns at most `each` per type. */
  through(each: number): ReadonlyMap<string, readonly Way[]> {
    const found = new Map<string, Way[]>();
    let level: Way[] = [{ type: this.#schema.getQueryType()!, steps: [], listed: false }];
    while (level.length > 0) {
      const next: Way[] = [];
      for (const way of level)
        for (const further of this.#further(way)) if (keep(found, further, each)) next.push(further);
      level = next;
    }
    return new Map([...found].map(([name, ways]) => [name, ways.filter(({ listed }) => listed)]));
  }

  /** Fields of a type that can be selected: those that need no arguments, or have some in `given`. */
  fields(type: GraphQLObjectType): Field[] {
    return Object.values(type.getFields()).filter((field) => {
      const given = this.#given[`${type.name}.${field.name}`];
      return given !== null && (given !== undefined || !(field.args.some(isRequiredArgument) || isLookUp(field)));
    });
  }

  /** An operation that follows the path and selects `inner` at its end. */
  operation(way: Way, inner: string): string {
    const body = way.steps.reduceRight(
      (rest, { text, on }) => `${text} { ${on === null ? rest : `... on ${on} { ${rest} }`} }`,
      inner,
    );
    return `{ ${body} }`;
  }

  /** A field with its arguments and a selection of leaves, including the leaves of nodes of its connections. */
  whole(type: GraphQLObjectType, field: Field): string {
    return field.name + this.#argumentsOf(type, field) + this.#selection(field.type, 0);
  }

  #argumentsOf(type: GraphQLObjectType, field: Field): string {
    const given = this.#given[`${type.name}.${field.name}`];
    return given == null ? '' : `(${given})`;
  }

  #further({ type, steps, listed }: Way): Way[] {
    return this.fields(type).flatMap((field) => {
      const named = getNamedType(field.type);
      if (isLeafType(named)) return [];
      const text = field.name + this.#argumentsOf(type, field);
      const targets = isAbstractType(named) ? this.#schema.getPossibleTypes(named) : [named];
      return targets.filter(isObjectType).map((target) => ({
        type: target,
        steps: [...steps, { name: field.name, text, on: isAbstractType(named) ? target.name : null }],
        listed: listed || isList(field.type),
      }));
    });
  }

  #selection(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type);
    if (isLeafType(named)) return '';
    if (!isObjectType(named) || depth > 2) return ' { __typename }';
    const inner = this.fields(named).filter(
      (field) => isLeafType(getNamedType(field.type)) || /^(nodes|edges|node)$/.test(field.name),
    );
    const texts = inner.map(
      (field) => field.name + this.#argumentsOf(named, field) + this.#selection(field.type, depth + 1),
    );
    return ` { __typename ${texts.join(' ')} }`;
  }
}

const isList = (type: GraphQLOutputType): boolean => {
  const nullable = getNullableType(type);
  return isListType(nullable) || (isNonNullType(type) && isListType(type.ofType));
};

/** Adds a path if its type has too few paths of its sort so far. */
function keep(found: Map<string, Way[]>, way: Way, each: number): boolean {
  const ways = found.get(way.type.name) ?? [];
  if (ways.filter(({ listed }) => listed === way.listed).length >= (way.listed ? each : 1)) return false;
  found.set(way.type.name, [...ways, way]);
  return true;
}

/** Number of objects at the end of a path in an answer. */
export function reached(data: unknown, steps: readonly { name: string }[]): number {
  let at: unknown[] = [data];
  for (const { name } of steps)
    at = at.flatMap((it) => (it as Record<string, unknown>)[name]).filter((it) => it !== null && it !== undefined);
  return at.length;
}
