import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createOutages } from '../../../src/infra/log/outages.ts';
import { asRefusal, reasonOf, unavailable } from '../../../src/infra/postgres/failures.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import { until } from '../../helpers/until.ts';

const coded = (code: string, message = 'why') => Object.assign(new Error(message), { code });

it.each(
  '08006 25006 28P01 3D000 53100 53200 53300 57P01 57P02 57P03 57014 58030 ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE P1001 P2024 P2028'.split(
    ' ',
  ),
)('treats %s as unavailable, also in nested errors', (code) => {
  const inPrisma = Object.assign(new Error('x'), {
    code: 'P2010',
    meta: { driverAdapterError: { cause: { originalCode: code } } },
  });
  for (const thrown of [coded(code), inPrisma, new Error('x', { cause: coded(code) })])
    expect(asRefusal(thrown)).toMatchObject({ kind: 'UNAVAILABLE', cause: thrown });
});

it.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])(
  'treats "%s" as unavailable',
  (message) => {
    expect(asRefusal(new Error(message))).toMatchObject({ kind: 'UNAVAILABLE' });
  },
);

it.each([
  coded('23505'),
  coded('42P01'),
  coded('22012'),
  coded('ENOENT'),
  new Error('undefined is not a function'),
  'text',
  null,
  undefined,
])('returns %p unchanged', (thrown) => {
  expect(reasonOf(thrown)).toBeNull();
  expect(asRefusal(thrown)).toBe(thrown);
});

it('returns refusals unchanged, with any cause', () => {
  const refusal = Object.assign(new CatalogError('LIMIT', 'too long'), { cause: coded('57014') });
  expect(asRefusal(refusal)).toBe(refusal);
});

it('logs many failures as one line without a stack trace, and then their number', async () => {
  const lines: any[] = [];
  const log = pino(
    { base: null, hooks: { logMethod: createOutages(200) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  for (let n = 0; n < 50; n += 1) asRefusal(coded('53100', 'disk full'), log);
  log.error({ err: unavailable('x', coded('ECONNREFUSED', 'refused')) }, 'the queue could not be read');
  log.error({ err: new Error('a defect') }, 'request failed');
  expect(lines.map(({ msg, reason, err }) => [msg, reason, err?.message])).toEqual([
    ['request answered with 503: part of the service is down', 'disk full (53100)', undefined],
    ['the queue could not be read', 'refused', undefined],
    ['request failed', undefined, 'a defect'],
  ]);
  expect(JSON.stringify(lines.slice(0, 2))).not.toContain('stack');
  await until(() => lines.length === 4);
  expect(lines[3]).toMatchObject({ leftOut: 49, reason: 'disk full (53100)' });
});
