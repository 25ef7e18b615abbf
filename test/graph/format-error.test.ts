import { expect, it } from '@jest/globals';
import { buildSchema, execute, parse } from 'graphql';
import { pino } from 'pino';
import { createFormatError } from '../../src/graph/format-error.ts';
import { CatalogError, invalid, notAuthorized, notFound } from '../../src/kernel/errors.ts';

const schema = buildSchema('type Query { a: String b: String must: String! bad: Int }');

/** The errors of a query as the caller sees them, and the logged lines. */
async function see(query: string, root: Record<string, unknown>) {
  const lines: { requestId: string; err: { message: string } }[] = [];
  const formatError = createFormatError(
    pino(
      {},
      {
        write: (line: string) => {
          lines.push(JSON.parse(line));
        },
      },
    ),
  );
  const { errors = [] } = await execute({ schema, document: parse(query), rootValue: root });
  return { errors: errors.map((error) => formatError(error.toJSON(), error, 'request-1')), lines };
}

const throws = (thrown: unknown) => () => {
  throw thrown;
};

it.each([
  [notFound(), 'Not found', 'NOT_FOUND'],
  [notFound('dataset x'), 'Not found: dataset x', 'NOT_FOUND'],
  [notAuthorized('sign in'), 'Access denied: sign in', 'NOT_AUTHORIZED'],
  [new CatalogError('UNAVAILABLE', 'later'), 'later', 'UNAVAILABLE'],
])('%s is sent to the caller and not logged', async (thrown, message, code) => {
  const { errors, lines } = await see('{ a }', { a: throws(thrown) });
  expect(errors).toEqual([{ message, locations: [{ line: 1, column: 3 }], path: ['a'], extensions: { code } }]);
  expect(lines).toEqual([]);
});

it('includes problems with their paths', async () => {
  const { errors } = await see('{ a }', { a: throws(invalid([{ path: ['tags', 0], message: 'Too short' }])) });
  expect(errors[0]!.extensions).toEqual({
    code: 'VALIDATION',
    problems: [{ path: ['tags', '0'], message: 'Too short' }],
  });
});

it('masks a defect, logs it once, and adds the request id to both', async () => {
  const defect = new Error('secret details');
  const { errors, lines } = await see('{ a b }', { a: throws(defect), b: throws(defect) });
  expect(lines).toHaveLength(1);
  expect(lines[0]!.err.message).toBe('secret details');
  expect(lines[0]!.requestId).toBe('request-1');
  for (const { message, extensions } of errors) {
    expect(message).toBe('Internal error, id request-1');
    expect(extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', requestId: 'request-1' });
  }
  expect(JSON.stringify(errors)).not.toContain('secret');
});

it.each(['text', null, undefined, 5, { odd: true }])('masks a thrown %j', async (thrown) => {
  const { errors } = await see('{ a }', { a: throws(thrown) });
  expect(errors[0]!.message).toMatch(/^Internal error, id /);
});

it('masks a null in a non-null field, and a value of the wrong type', async () => {
  expect((await see('{ must }', {})).errors[0]!.message).toMatch(/^Internal error, id /);
  expect((await see('{ bad }', { bad: 'secret' })).errors[0]!.message).toMatch(/^Internal error, id /);
});
