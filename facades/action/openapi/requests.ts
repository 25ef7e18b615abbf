/** Describes an action's parameters as query parameters of GET and the body of POST. */
import { neededParams, type Row } from '../help.ts';
import { FILE, type Param, schemaOf } from '../params.ts';
import type { Schema } from '../schema.ts';

const paramsOf = (row: Row): [string, Param<unknown>][] => Object.entries(row.params as Record<string, Param<unknown>>);

/** Query parameters of the GET, and its relevant headers. */
export function queryOf(row: Row): object[] {
  return [
    ...paramsOf(row).map(([name, param]) => queryParameter(name, param)),
    { $ref: '#/components/parameters/callback' },
    ...('version' in row ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ];
}

/** One query parameter. */
export function queryParameter(name: string, param: Param<unknown>): object {
  const { description, ...schema } = schemaOf(param);
  const plain = inQuery(schema);
  return {
    name,
    in: 'query',
    description,
    required: param.required,
    ...(param.deprecated && { deprecated: true }),
    ...(plain ? { schema: plain } : { content: { 'application/json': { schema } } }),
  };
}

/** Schema of a value in a query string: text, numbers and lists of them; null for dictionaries, which are sent as JSON. */
function inQuery(schema: Schema): Schema | null {
  const { anyOf } = schema as { anyOf?: readonly Schema[] };
  if (anyOf) return anyOf.map(inQuery).find((found) => found !== null) ?? null;
  if (schema.type === 'object' || schema.$ref !== undefined) return null;
  if (schema.type === 'array') return inQuery(schema.items as Schema) && schema;
  return schema;
}

/** The body of a POST: JSON, a multipart form when it accepts a file, and a form-encoded one when enabled. */
export function bodyOf(row: Row, readsForms: boolean): object {
  const params = paramsOf(row);
  const isFile = ([, { type }]: [string, Param<unknown>]) => type === FILE;
  const inJson = row.anyOf?.filter((set) => !params.some((param) => isFile(param) && set.includes(param[0])));
  const plain = { ...dictionaryOf(params.filter((param) => !isFile(param))), ...anyOf(inJson) };
  return {
    required: row.kind === 'write',
    content: {
      'application/json': {
        schema: plain,
        example: Object.fromEntries(neededParams(row).map(([name, param]) => [name, sample(name, param)])), // shown on the page
      },
      ...(readsForms && { 'application/x-www-form-urlencoded': { schema: plain, encoding: inForm(params) } }),
      ...((params.some(isFile) || ('files' in row && row.files)) && {
        'multipart/form-data': { schema: { ...dictionaryOf(params), ...anyOf(row.anyOf) } },
      }),
    },
  };
}

/** Dictionaries, and lists of them, are JSON in a form field. */
const inForm = (params: readonly [string, Param<unknown>][]): Record<string, object> =>
  Object.fromEntries(
    params.flatMap(([name, param]) =>
      inQuery(schemaOf(param)) === null ? [[name, { contentType: 'application/json' }]] : [],
    ),
  );

/** Schema of the alternative parameter sets. */
const anyOf = (sets: Row['anyOf']): Schema => (sets ? { anyOf: sets.map((required) => ({ required })) } : {});

function sample(name: string, param: Param<unknown>): unknown {
  const { type } = schemaOf(param);
  return type === 'array'
    ? []
    : type === 'object'
      ? {}
      : type === 'integer'
        ? 0
        : type === 'boolean'
          ? false
          : `<${name}>`;
}

/** Parameters as one object. */
export function dictionaryOf(params: readonly [string, Param<unknown>][]): Schema {
  const required = params.filter(([, param]) => param.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      params.map(([name, param]) => [name, { ...schemaOf(param), ...(param.deprecated && { deprecated: true }) }]),
    ),
    ...(required.length > 0 && { required }),
  };
}
