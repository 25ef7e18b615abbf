import type { IncomingMessage } from 'node:http';
/** Form-encoded parameters of every action give the operation the same variables as JSON. */
import { describe, expect, it } from '@jest/globals';
import { actions } from '../../../facades/action/actions.ts';
import { unfoldForm } from '../../../facades/action/form.ts';
import { FILE, type Param, readParams, schemaOf } from '../../../facades/action/params.ts';
import { mediaTypeOf } from '../../../facades/shared/media-type.ts';
import { FORM_TYPE, hasFields, parseUrlencoded } from '../../../facades/shared/urlencoded.ts';

const typeOf = (type: string) => mediaTypeOf({ headers: { 'content-type': type } } as IncomingMessage);

type Row = (typeof actions)[keyof typeof actions];
type Schema = { type?: string | string[]; anyOf?: Schema[]; items?: Schema; enum?: string[]; $ref?: string };

/** Sample values of a parameter, one for each variant of its schema. */
function samples(schema: Schema): unknown[] {
  if (schema.anyOf) return schema.anyOf.flatMap(samples);
  if (schema.enum) return [schema.enum[0]];
  if (schema.$ref) return [{ name: 'water' }];
  switch ([schema.type].flat()[0]) {
    case 'integer':
      return [5];
    case 'boolean':
      return [true, false];
    case 'array':
      return samples(schema.items ?? {}).flatMap((item) =>
        item === '' ? [] : typeof item === 'string' ? [[item], [item, 'second']] : [[item]],
      );
    case 'object':
      return [{ name: 'a & b = ü+%', id: 'x' }];
    default:
      return ['a & b = ü+%', ''];
  }
}

/** Encodings of a value in a form. */
function inForm(name: string, value: unknown, { type }: Param<unknown>): [string, string][][] {
  if (typeof value === 'boolean') return [[[name, String(value)]], [[name, value ? 'True' : 'False']]];
  if (typeof value !== 'object') return [[[name, String(value)]]];
  const asJson: [string, string][] = [[name, JSON.stringify(value)]];
  if (!Array.isArray(value)) return [asJson];
  const [first] = value as unknown[];
  if (typeof first !== 'object' || first === null)
    return value.length > 1 ? [asJson, value.map((item): [string, string] => [name, String(item)])] : [asJson];
  if (!type.includes('dictionar')) return [asJson];
  return [asJson, Object.entries(first).map(([key, text]) => [`${name}__0__${key}`, String(text)])];
}

/** Variables of the operation, or the problems of the parameters. */
function variablesOf(row: Row, raw: Record<string, unknown>): unknown {
  try {
    const params = readParams(row.params as Record<string, Param<unknown>>, raw, row.files);
    return 'variables' in row ? (row.variables as (...args: unknown[]) => unknown)(params, raw, null) : params;
  } catch (thrown) {
    const { problems, message } = thrown as { problems?: unknown; message: string };
    return problems ?? message;
  }
}

describe.each(Object.entries(actions))('%s', (_name, row) => {
  const params = Object.entries(row.params as Record<string, Param<unknown>>).filter(([, { type }]) => type !== FILE);

  it('reads each parameter alike from JSON and from a form', () => {
    for (const [name, param] of params)
      for (const value of samples(schemaOf(param) as Schema))
        for (const pairs of inForm(name, value, param)) {
          const body = new URLSearchParams(pairs).toString();
          expect(hasFields(body)).toBe(true);
          const raw = unfoldForm(row.params, parseUrlencoded(body, 100));
          expect({ body, variables: variablesOf(row, { ...raw }) }).toEqual({
            body,
            variables: variablesOf(row, { [name]: value }),
          });
        }
  });
});

describe('bodies', () => {
  it.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=utf-8'])(
    'of type %s are forms',
    (type) => expect(typeOf(type)).toBe(FORM_TYPE),
  );
  it.each(['application/json', '', 'text/plain', 'multipart/form-data; boundary=application/x-www-form-urlencoded'])(
    'of type %s are not forms',
    (type) => expect(typeOf(type)).not.toBe(FORM_TYPE),
  );
  it.each(['{"a": "b=c"}', '[1]', '%7B%22a%22%3A1%7D=', '%20%7b%22a=', '+{"a":1}', '"a=b"', '%22a%22=1', 'a', '5', ''])(
    'like %j hold no fields',
    (body) => expect(hasFields(body)).toBe(false),
  );

  it('of any size are recognized and parsed in linear time', () => {
    const start = performance.now();
    hasFields(' +%20'.repeat(2_000_000));
    for (const space of ['+', ' ', '%20']) expect(hasFields(`${space.repeat(3_000_000)}=`)).toBe(true);
    parseUrlencoded(`a=${'%'.repeat(5_000_000)}`, 10);
    expect(() => parseUrlencoded(`${'a__1'.repeat(1_000_000)}!=1`, 10)).toThrow('longer than 100 bytes');
    expect(() => parseUrlencoded('&'.repeat(10_000_000), 100)).toThrow('more than 100 fields');
    const flat = Array.from({ length: 50_000 }, (_, index) => `extras__0__k${index}=v`).join('&');
    unfoldForm(actions.package_create!.params, parseUrlencoded(flat, 100_000));
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
