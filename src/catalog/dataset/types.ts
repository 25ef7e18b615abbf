/** Declared dataset types (ruling 21): a JSON Schema declares the fields of a type beyond the core's. */
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Problem } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';

interface DeclaredType {
  readonly fields: ReadonlySet<string>;
  readonly validate: ValidateFunction;
}

/** The declared types with their schemas, sorted by name. */
export const typeList = (settings: Settings): { name: string; schema: unknown }[] =>
  Object.entries(settings['catalog.dataset_types'])
    .map(([name, schema]) => ({ name, schema }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

const compiled = new WeakMap<object, Map<string, DeclaredType>>();

/**
 * Checks the fields of a dataset against its type. Returns the fields and their problems. Undeclared fields are dropped
 * (ruling 8); an undeclared type has no fields.
 */
export function checkFields(
  settings: Settings,
  type: string,
  input: unknown,
): { fields: Record<string, unknown>; problems: Problem[] } {
  const declared = declaredTypes(settings).get(type);
  if (!declared) return { fields: {}, problems: [] };
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { fields: {}, problems: [{ path: ['fields'], message: 'Must be an object' }] };
  }
  const fields = Object.fromEntries(
    Object.entries(input).filter(([key, value]) => declared.fields.has(key) && value !== null),
  );
  declared.validate(fields);
  return { fields, problems: (declared.validate.errors ?? []).map(problemOf) };
}

function declaredTypes(settings: Settings): Map<string, DeclaredType> {
  const schemas = settings['catalog.dataset_types'] as Record<string, { properties?: Record<string, unknown> }>;
  let types = compiled.get(schemas);
  if (!types) {
    const ajv = new Ajv({ allErrors: true, strict: false });
    (addFormats as unknown as (target: Ajv) => void)(ajv);
    types = new Map(
      Object.entries(schemas).map(([name, schema]) => [
        name,
        { fields: new Set(Object.keys(schema.properties ?? {})), validate: ajv.compile(schema) },
      ]),
    );
    compiled.set(schemas, types);
  }
  return types;
}

function problemOf(error: NonNullable<ValidateFunction['errors']>[number]): Problem {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replace(/~1/g, '/').replace(/~0/g, '~')));
  if (error.keyword === 'required')
    return { path: [...path, String(error.params.missingProperty)], message: 'Missing value' };
  return { path, message: error.message ?? 'Does not match the schema of the dataset type' };
}

/** The fields of a dataset's body that its declared type adds; empty for an undeclared type. */
export function declaredFields(
  settings: Settings,
  body: { type: string; [key: string]: unknown },
): Record<string, unknown> {
  const fields = declaredTypes(settings).get(body.type)?.fields ?? [];
  return Object.fromEntries([...fields].filter((key) => Object.hasOwn(body, key)).map((key) => [key, body[key]]));
}
