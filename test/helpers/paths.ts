/** Ways from Query to every object type that stands in a list: what a walk over the whole graph follows. */
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

/** One way to a type: fields with their arguments, outermost first; `on` where a field's type is abstract. */
export interface Way {
  readonly type: GraphQLObjectType;
  readonly steps: readonly Step[];
  /** Whether a list stands on the way. */
  readonly listed: boolean;
}

interface Step {
  readonly name: string;
  readonly text: string;
  readonly on: string | null;
}

/** `Type.field` → its arguments as they stand in an operation, or null for a field that is not asked for. What is not named gets none. */
export type Arguments = Readonly<Record<string, string | null>>;

export class Paths {
  readonly #schema: GraphQLSchema;
  readonly #given: Arguments;

  constructor(schema: GraphQLSchema, given: Arguments) {
    this.#schema = schema;
    this.#given = given;
  }

  /** Ways to every type, shortest first, at most `each` per type through lists. */
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

  /** Fields of a type that can be asked for: that need no arguments, or are given them. */
  fields(type: GraphQLObjectType): Field[] {
    return Object.values(type.getFields()).filter((field) => {
      const given = this.#given[`${type.name}.${field.name}`];
      return given !== null && (given !== undefined || !(field.args.some(isRequiredArgument) || isLookUp(field)));
    });
  }

  /** An operation that goes this way and asks there for `inner`. */
  operation(way: Way, inner: string): string {
    const body = way.steps.reduceRight(
      (rest, { text, on }) => `${text} { ${on === null ? rest : `... on ${on} { ${rest} }`} }`,
      inner,
    );
    return `{ ${body} }`;
  }

  /** A field with its arguments and what can be read below it: leaves, and the leaves of what those connect to. */
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

/** Keeps a way when its type has too few of its sort yet. */
function keep(found: Map<string, Way[]>, way: Way, each: number): boolean {
  const ways = found.get(way.type.name) ?? [];
  if (ways.filter(({ listed }) => listed === way.listed).length >= (way.listed ? each : 1)) return false;
  found.set(way.type.name, [...ways, way]);
  return true;
}

/** How many objects stand at the end of a way in an answer. */
export function reached(data: unknown, steps: readonly { name: string }[]): number {
  let at: unknown[] = [data];
  for (const { name } of steps)
    at = at.flatMap((it) => (it as Record<string, unknown>)[name]).filter((it) => it !== null && it !== undefined);
  return at.length;
}
