/** Shorthands for JSON Schemas (2020-12, as in OpenAPI 3.1) of parameters and action results. */

export type Schema = Readonly<Record<string, unknown>>;

export const ANYTHING: Schema = {};
export const NULL: Schema = { type: 'null' };
export const TEXT: Schema = { type: 'string' };
export const FLAG: Schema = { type: 'boolean' };
export const NUMBER: Schema = { type: 'integer' };
/** All objects allow additional keys, because results may grow. */
export const OBJECT: Schema = { type: 'object' };

/** The schema with a description. */
export const about = (description: string, schema: Schema = TEXT): Schema => ({ ...schema, description });

export const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas });

/** The value or null. */
export const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : either(schema, NULL);

/** An object with required keys first and optional ones second. */
export const object = (
  always: Readonly<Record<string, Schema>>,
  sometimes: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  properties: { ...always, ...sometimes },
  ...(Object.keys(always).length > 0 && { required: Object.keys(always) }),
});

/** A reference to a component's schema. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
