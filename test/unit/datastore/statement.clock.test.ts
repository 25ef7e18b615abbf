/** Detects statements of callers whose result depends on the clock. */
import { expect, it } from '@jest/globals';
import { dependsOnClock } from '../../../src/datastore/statement/statement.clock.ts';
import { parseStatement } from '../../../src/datastore/statement/statement.parser.ts';

const depends = async (text: string) => dependsOnClock((await parseStatement(text)).tree);

it.each([
  'SELECT now()',
  'SELECT pg_catalog.now()',
  'SELECT current_date, a FROM t',
  'SELECT a FROM t WHERE b > localtimestamp',
  'SELECT a FROM t WHERE b > clock_timestamp()',
  'SELECT age(b) FROM t',
  "SELECT a FROM t WHERE b = 'now'",
  "SELECT a FROM t WHERE b IN ('2020-01-01', ' TODAY ')",
  "SELECT a FROM t WHERE b > E'to\\x64ay'",
  "SELECT a FROM t WHERE b > U&'to\\0064ay'",
  "SELECT date 'yesterday'",
  "SELECT '{2020-01-01,tomorrow}'::date[]",
  "SELECT '[yesterday,)'::tsrange",
  "SELECT '{t\\oday}'::date[]",
  'SELECT a FROM t WHERE b = ANY(\'{"t\\oday"}\')',
  `SELECT '[to"day",)'::daterange`,
  `SELECT '"n\\u006fw"'::jsonb::text::timestamp`,
  "SELECT 'to\\day'::tsvector::text::date",
  "SELECT ('{t\\oday}'::text[])::text::date",
  "SELECT '2020-01-01'::text::date", // casts from text are assumed to depend on the clock
  'SELECT a::date FROM t',
  'SELECT CAST(a AS timestamptz) FROM t',
  'SELECT (a || b)::timestamp FROM t',
  'SELECT a::text::date[] FROM t',
  'SELECT date(a) FROM t',
  'SELECT v.age FROM unnest(ARRAY[a]) AS v',
  'SELECT v.now FROM t, unnest(ARRAY[1]) AS v',
  "SELECT b AT TIME ZONE 'Europe/Berlin' FROM t",
  "SELECT '12:00'::timetz",
  'WITH x AS (SELECT now() AS at) SELECT * FROM x',
  'SELECT (SELECT max(b) FROM t WHERE b < now())',
  'SELECT a FROM t ORDER BY age(b) LIMIT 1',
  'SELECT a FROM t UNION SELECT current_time::text',
  'SELECT count(*) FILTER (WHERE b < now()) FROM t',
  'VALUES (now())',
])('%s depends on the clock', async (text) => expect(await depends(text)).toBe(true));

it.each([
  'SELECT a, count(*) FROM t GROUP BY a',
  "SELECT date '2020-01-01', timestamp '2020-01-01 00:00', '2020-01-01'::date::timestamp",
  "SELECT date_trunc('month', b), extract(year FROM b), to_char(b, 'YYYY') FROM t",
  "SELECT a FROM t WHERE b BETWEEN '2020-01-01' AND '2021-01-01'",
  'SELECT now, today, "date" FROM t',
  'SELECT t.date, t.age FROM t JOIN u ON u.date = t.date',
  'SELECT a::int, b::text, c::numeric(10, 2) FROM t',
  "SELECT b + interval '1 day' FROM t",
])('%s does not depend on the clock', async (text) => expect(await depends(text)).toBe(false));
