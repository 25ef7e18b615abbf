/** JSON Schemas (2020-12, as OpenAPI 3.1 has them) in few words: of parameters, and of what actions answer. */

export type Schema = Readonly<Record<string, unknown>>;

export const ANYTHING: Schema = {};
export const NULL: Schema = { type: 'null' };
export const TEXT: Schema = { type: 'string' };
export const FLAG: Schema = { type: 'boolean' };
export const NUMBER: Schema = { type: 'integer' };
/** Every other key is allowed too, here and in all objects: answers may grow. */
export const OBJECT: Schema = { type: 'object' };

/** The same schema with a sentence to it. */
export const about = (description: string, schema: Schema = TEXT): Schema => ({ ...schema, description });

export const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas });

/** The value or null. */
export const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : either(schema, NULL);

/** An object in which the first keys are always there, and the second ones sometimes. */
export const object = (
  always: Readonly<Record<string, Schema>>,
  sometimes: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  properties: { ...always, ...sometimes },
  ...(Object.keys(always).length > 0 && { required: Object.keys(always) }),
});

/** A schema by its name among the components. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
