/** Callers' SQL: what is let through, and a list of attacks that is not. */
import { describe, expect, it } from '@jest/globals';
import { CHECKED } from '../../../src/datastore/checked.sql.ts';
import { GROWTH, OPERATOR_GROWTH, SMALL } from '../../../src/datastore/statement.growth.ts';
import { parseStatement } from '../../../src/datastore/statement.parser.ts';
import { checkStatement } from '../../../src/datastore/statement.rules.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';

async function read(text: string) {
  try {
    return checkStatement((await parseStatement(text)).tree, 32_000);
  } catch (thrown) {
    if (thrown instanceof CatalogError) return thrown.kind;
    throw thrown;
  }
}

describe('statements of callers', () => {
  it.each([
    'SELECT * FROM "b6a2-11" LIMIT 5',
    "select t.* from t where a like 'x%' and b ilike '%y' escape '!' and c similar to 'z+' and d ~* 'q'",
    'select a, count(*) filter (where b > 1), sum(distinct c order by c) from t group by a having max(b) > 2 order by 2 desc nulls last limit 5 offset 1',
    'select a, b, count(*) from t group by rollup (a, b), cube (a), grouping sets ((a), ())',
    'with x(a) as materialized (select 1) select * from x union all select 2 intersect (select 3 except select 4) order by 1',
    "select date_trunc('month', d), sum(v)::numeric(10,2), cast(a as varchar(3)), date '2001-01-01', interval '1 day' from t group by 1",
    "select extract(year from d), substring(a from 1 for 2), trim(both from b), overlay(a placing 'b' from 1), position('a' in b) from t",
    'select row_number() over (partition by b order by c rows between 1 preceding and current row), lag(a) over w from t window w as (order by a)',
    "select case a when 1 then 'x' else 'y' end, coalesce(a, b), nullif(a, b), greatest(a, 1), least(a, 2) from t",
    'select a between 1 and 2, a not between symmetric 1 and 2, a in (1, 2), a is null, b is not true, a is distinct from b, not c from t',
    'select exists(select 1 from u), a = any(select b from u), a > all(array[1,2]), (select max(a) from u) from t',
    'select * from t natural join u left join v using (id) cross join w, lateral (select t.a) l, unnest(array[1,2]) with ordinality as f(a, b)',
    "select j -> 'a' ->> 'b', j #>> '{a,b}', l[1], l[1:2], (array[1,2])[1], a || b, a at time zone 'UTC', a collate \"C\" from t",
    "select percentile_cont(0.5) within group (order by a), string_agg(a, ',' order by b), array_agg(a) from t",
    'select current_date, current_timestamp, localtimestamp(2), now()',
    "select distinct on (a) a, row(1, 2), (1, 2) = (1, 2), b'1', 1.5, -1, null, true from t",
    'values (1), (2)',
    'table t',
    "select ';' -- a comment",
    'select 1;',
    'select * from public.t',
    "select f, f.f, length(f), f.upper from unnest(array['a']) as f",
    "select f.a, f.n from unnest(array['a']) with ordinality as f(a, n)",
    "select e.key, e.value, o.k, o.v from json_each('{}') e, jsonb_each_text('{}') o(k, v)",
    "select upper.upper, w.ordinality from upper('a'), unnest(array[1]) with ordinality w",
    'select t.ts_stat, x.version from t, (select 1 as version) x',
    "select U&'\\0061', E'\\n', $x$ ; drop table t $x$",
  ])('lets through %s', async (text) => {
    expect(await read(text)).toHaveProperty('tables');
  });

  it('says which tables are read, wherever they hide', async () => {
    const text = `with x as (select * from a) select (select 1 from b), exists(table c), array(select 1 from d) from x
      join (select * from e union select * from f) y on y.i in (select 1 from g), lateral (select 1 from "H h") z
      where i > any (select 1 from i) group by (select 1 from j) having (select true from k) order by (select 1 from l)
      limit (select 1 from m) offset (select 1 from n)`;
    expect(sorted(await read(text))).toEqual([...'abcdefg', 'H h', ...'ijklmn']);
    const more =
      'select count(*) filter (where (select true from a)) over (partition by (select 1 from b) order by (select 1 from c)) , case (select 1 from d) when (select 1 from e) then (select 1 from f) end, coalesce((select 1 from g)), (array[(select 1 from h)])[(select 1 from i)] from unnest((select l from j)) values';
    expect(sorted(await read(more))).toEqual([...'abcdefghij']);
  });

  const writes = [
    'insert into t values (1)',
    'update t set a = 1',
    'delete from t',
    'merge into t using u on true when matched then delete',
    'with x as (delete from t returning *) select * from x',
    'with x as (insert into t values (1) returning *) select * from x',
    'with x as (update t set a = 1 returning *) select * from x',
    'select * into z from t',
    'select * into temp z from t',
    'select * from t for update',
    'select * from (select * from t for share) x',
    'select * from t for key share skip locked',
  ];
  const system = [
    'select * from pg_user',
    'select * from pg_catalog.pg_tables',
    'select * from information_schema.tables',
    'select * from other.t',
    'table pg_authid',
    'select (select count(*) from pg_class)',
    'select 1 from t where exists (select 1 from pg_stat_activity)',
    'select 1 union select oid from pg_database',
    'with x as (select * from pg_roles) select * from x',
    'select * from t join pg_proc on true',
    'select * from pg_toast.pg_toast_1',
    'select * from "pg_temp"."t"',
    'with pg_user as (select 1) select * from pg_user',
  ];
  it.each([...writes, ...system])('denies %s', async (text) => {
    expect(await read(text)).toBe('NOT_AUTHORIZED');
  });

  const FUNCTIONS = `pg_sleep(1) pg_sleep_for('1s') pg_read_file('/etc/passwd') pg_read_binary_file('x') pg_ls_dir('.') pg_stat_file('x')
    lo_import('/etc/passwd') lo_export(1,'x') lo_get(1) dblink('x','y') dblink_exec('x') query_to_xml('x',true,true,'') table_to_xml('t',true,true,'')
    schema_to_xml('public',true,true,'') database_to_xml(true,true,'') cursor_to_xml('c',1,true,true,'') query_to_xmlschema('x',true,true,'')
    xpath_table('a','b','c','d','e') ts_stat('select') set_config('role','x',false) current_setting('x') current_database() current_query()
    current_schema() current_schemas(true) session_user() version() inet_server_addr() pg_backend_pid() pg_cancel_backend(1) pg_terminate_backend(1)
    pg_reload_conf() pg_rotate_logfile() pg_switch_wal() pg_create_restore_point('x') pg_advisory_lock(1) pg_try_advisory_lock(1) pg_notify('a','b')
    nextval('s') setval('s',1) currval('s') lastval() txid_current() pg_current_xact_id() pg_export_snapshot() pg_get_viewdef('x') pg_get_functiondef(1)
    pg_get_constraintdef(1) has_table_privilege('x','select') to_regclass('x') obj_description(1) col_description(1,1) pg_relation_size('x')
    pg_table_size('x') pg_database_size('x') pg_column_size(1) pg_typeof(1) format('%1000000000s','x') repeat('x',1000000000) lpad('x',1000000000)
    rpad('x',1000000000) generate_subscripts(array[1],1) array_fill(1,array[1000000000]) factorial(100000)
    json_populate_record(null,'{}') jsonb_populate_recordset(null,'[]') json_to_record('{}') ts_headline('a','b') ts_rewrite('a','select')
    plpgsql_call_handler() pg_stat_get_activity(1) pg_ls_waldir() pg_ls_logdir() pg_logical_slot_get_changes('a',null,null) pg_promote()
    brin_summarize_new_values('x') gin_clean_pending_list('x') amvalidate(1) pg_prepared_statement() pg_cursor() pg_lock_status() pg_show_all_settings()
    nofunc(1) public.count(1) evil.count(1) pg_catalog.pg_sleep(1) "PG_SLEEP"(1) random() gen_random_uuid() exec('x') eval('x') text(1) regclass('t') "count "(1)`;
  it.each(FUNCTIONS.trim().split(/\s+(?=[a-z"])/))('refuses the function %s', async (call) => {
    for (const text of [
      `select ${call}`,
      `select * from ${call}`,
      `select 1 from t where ${call} is null`,
      `select 1 order by ${call}`,
    ])
      expect([text, await read(text)]).toEqual([
        text,
        /^(pg_catalog\.)?pg_/.test(call) ? 'NOT_AUTHORIZED' : 'VALIDATION',
      ]);
  });

  it.each([
    '',
    ';',
    '-- nothing',
    'selec 1',
    "select 'x",
    'select "x',
    'select 1 /*',
    'select 1; select 2',
    'select 1; drop table t',
    'select 1;;select pg_sleep(1)',
    'select',
    'select from t',
    'select where true',
    'select 1) as q, (select 2',
    'select 1 union',
    'create table x (a int)',
    'create temp table x as select 1',
    'create function f() returns int language sql as $$ select 1 $$',
    'create view v as select 1',
    'drop table t',
    'alter table t add a int',
    'truncate t',
    'grant all on t to public',
    'copy t to stdout',
    "copy t to program 'id'",
    "copy (select 1) to '/tmp/x'",
    'explain select 1',
    'explain analyze delete from t',
    'do $$ begin end $$',
    'begin',
    'commit',
    'rollback',
    'set role postgres',
    'set x to 1',
    'reset all',
    'show all',
    'listen x',
    'notify x',
    "load 'x'",
    'lock table t',
    'vacuum t',
    'analyze t',
    'checkpoint',
    'call f()',
    'execute p',
    'prepare p as select 1',
    'deallocate all',
    'declare c cursor for select 1',
    'fetch all from c',
    'discard all',
    'import foreign schema a from server b into c',
    "security label on table t is 'x'",
    'comment on table t is null',
    'refresh materialized view v',
    'select $1',
    'select current_user',
    'select session_user',
    'select user',
    'select current_role',
    'select current_catalog',
    'select current_schema',
    "select 'pg_authid'::regclass",
    "select cast('pg_authid' as regclass)",
    "select 'x'::regclass::oid::text",
    "select regclass 'pg_authid'",
    "select array['x']::regclass[]",
    'select null::"t"',
    'select (null::"t").*',
    'select null::public.t',
    'select 1::evil.int4',
    "select 'x'::xml",
    "select 'now'::pg_catalog.regproc",
    "select '(1,2)'::record",
    "select 'x'::cstring",
    'select 1::oid',
    "select xmlparse(document '<a/>')",
    'select xmlelement(name a, 1)',
    'select xmlserialize(content x as text) from t',
    'select x is document from t',
    "select * from xmltable('/a' passing x columns b int)",
    "select * from json_table('[]', '$' columns (a int path '$'))",
    "select json_query('{}', '$')",
    "select json_object('a': 1)",
    'select a operator(public.+) b from t',
    'select a operator(pg_catalog.+) b from t',
    'select a @@@ b from t',
    'select a !~~~ b from t',
    'select * from t order by a using <',
    'select * from t tablesample system (1)',
    'with recursive x as (select 1 union all select * from x) select * from x',
    'with recursive x as (select 1) select * from x',
    "select ('x'::text).pg_read_file",
    "select ('x'::text).f",
    'select (t).a from t',
    'select (t.*).a from t',
    'select t.pg_sleep from t',
    "select f.current_setting from unnest(array['data_directory']) as f",
    "select f.ts_stat from unnest(array['select x from t']) f",
    "select f.ts_stat from unnest(array['select x from t']) f(x), unnest(array[1]) g(ts_stat)",
    "select ts_stat.ts_stat from unnest(array['select x from t']) ts_stat(x)",
    "select upper.ts_stat from upper('select x from t')",
    "select upper.ts_stat from pg_catalog.upper('select x from t')",
    "select upper.ts_stat from rows from (upper('select x from t'))",
    "select f.ts_stat from cast('select x from t' as text) f",
    "select text.ts_stat from cast('select x from t' as text)",
    "select coalesce.ts_stat from coalesce('select x from t')",
    'select (select f.ts_stat) from t, lateral upper(t.a) f',
    "select 1 from t where exists (select 1 from (upper('x') f cross join t g) where f.ts_stat is null)",
    "select f.text from unnest(array['pg_authid']) f",
    'select public.t.a from t',
    'select a.b.c.d from t',
    'select count(a => 1) from t',
    'select a collate evil."C" from t',
    'with pg_user as (select 1) select 1',
    "select * from rows from (pg_ls_dir('.')) x",
    "select * from json_to_recordset('[]') as x(a regclass)",
    'select * from unnest(array[1]) as x(a int)',
    'select count(*) over (order by pg_sleep(1)) from t',
    'select sum(a) filter (where pg_sleep(1) is null) from t',
    'select 1 limit (select pg_sleep(1))',
    'select array[pg_sleep(1)]',
    "select (array[1])[nextval('s')]",
    'select case when true then pg_sleep(1) end',
    'select row(pg_sleep(1))',
    'select coalesce(pg_sleep(1), pg_sleep(2))',
    'values (pg_sleep(1))',
    "select 'a' like pg_read_file('x')",
    'select * from t join u on pg_sleep(1) is null',
    'select distinct on (pg_sleep(1)) 1',
    'select 1 group by pg_sleep(1)',
    'select 1 having pg_sleep(1) is null',
    'select exists (select pg_sleep(1))',
    "select 1 in (select nextval('s'))",
    "select * from (values (lo_import('x'))) x",
    'select pg_sleep(1) union select null',
    'select null union all (select pg_sleep(1))',
    'with x as (select pg_sleep(1)) select 1',
    'select grouping(pg_sleep(1)) from t group by 1',
    "select percentile_cont(0.5) within group (order by nextval('s'))",
    'select 1\u0000',
  ])('refuses %j', async (text) => {
    expect(await read(text)).toMatch(/^(VALIDATION|NOT_AUTHORIZED)$/);
  });

  it('refuses what is too long or too deep, and goes on', async () => {
    expect(await read(`select ${'('.repeat(20_000)}1${')'.repeat(20_000)}`)).toMatch(/VALIDATION|LIMIT/);
    expect(await read(`select ${'1+'.repeat(20_000)}1`)).toMatch(/VALIDATION|LIMIT/);
    expect(await read(`select ${'1+'.repeat(400)}1`)).toBe('LIMIT');
    expect(await read(`select ${'not '.repeat(5_000)}true`)).toMatch(/VALIDATION|LIMIT/);
    expect(await read(`select ${'(select '.repeat(300)}1${')'.repeat(300)}`)).toMatch(/VALIDATION|LIMIT/);
    expect(await read(`select '${'x'.repeat(100_000)}'`)).toBe('LIMIT');
    expect(await read(`select ${Array.from({ length: 25_000 }, () => 1).join(',')}`)).toBe('LIMIT');
    expect(await read('select 1 from t')).toEqual({ tables: ['t'], given: [], checked: false });
  });

  it.each([
    (n: number) =>
      `with x0 as (select 'a' as a), ${levels(n, (i) => `x${i + 1} as (select a || a as a from x${i})`)} select a from x${n}`,
    (n: number) => nested(n, (inner) => `select a || a as a from (${inner}) x`, "select 'a' as a"),
    (n: number) => nested(n, (inner) => `select x as a, x as b from (${inner}) x`, 'select 1 as a'),
    (n: number) => nested(n, (inner) => `select row(x.*) as a, row(x.*) as b from (${inner}) x`, 'select 1 as a'),
    (n: number) =>
      nested(n, (inner) => `select y.a + y.a as a from (${inner}) x, lateral (select x.a) y`, 'select 1 as a'),
    (n: number) => nested(n, (inner) => `select (select a || a) as a from (${inner}) x`, "select 'a' as a"),
    (n: number) => nested(n, (inner) => `select a || a as a from (${inner} union all select 'b') x`, "select 'a' as a"),
    (n: number) => nested(n, (inner) => `select * from (select a || a as a from (${inner}) x) y`, "select 'a' as a"),
    (n: number) =>
      nested(n, (inner) => `select z.a from (${inner}) x, lateral (values (x.a || x.a)) z(a)`, "select 'a' as a"),
  ])('refuses subqueries that multiply each other (%#)', async (grow) => {
    expect(await read(grow(3))).toHaveProperty('tables');
    expect(await read(grow(22))).toBe('LIMIT');
  });

  it('lets long and nested queries through that do not multiply', async () => {
    const columns = Array.from({ length: 100 }, (_, n) => `c${n}`).join(', ');
    expect(
      await read(nested(20, (inner) => `select ${columns} from (${inner}) x`, `select ${columns} from t`)),
    ).toHaveProperty('tables');
    expect(
      await read(nested(20, (inner) => `select *, c1 as d from (${inner}) x`, `select ${columns} from t`)),
    ).toHaveProperty('tables');
    expect(
      await read(`select * from ${Array.from({ length: 60 }, (_, n) => `t${n}`).join(' natural join ')}`),
    ).toHaveProperty('tables');
  });

  it('takes the statement out of its semicolons, whatever the bytes before it', async () => {
    expect((await parseStatement("select 'é', 1 ; ")).text).toBe("select 'é', 1 ");
    expect((await parseStatement("/* é */ select '✓';")).text).toBe("select '✓'");
  });
});

const levels = (n: number, of: (level: number) => string) =>
  Array.from({ length: n }, (_, level) => of(level)).join(', ');
const nested = (n: number, around: (inner: string) => string, inner: string): string =>
  n === 0 ? inner : nested(n - 1, around, around(inner));
const sorted = (read: unknown) =>
  [...(read as { tables: string[] }).tables].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));

describe('sizes of values', () => {
  const times = (n: number, text: string, between: string): string => Array(n).fill(text).join(between);

  it.each([
    "select replace(replace(a, '&', '&amp;'), '<', '&lt;') from t",
    "select concat(a, b, ' ', c), a || b, round(a, 2), to_char(d, 'YYYY-MM'), a::numeric(10,2) from t",
    "select string_agg(a, ', '), array_agg(b), json_agg(c), array_to_string(array_agg(a), ',') from t group by d",
    "select * from t where a like '%a part%' and b ilike 'beginning that is longer than thirty-two characters%'",
    'select sqrt(power(a - 1, 2) + (b - c) ^ 2) from t',
    "select * from t where tags @> array['a', 'b'] and j @> '{}'",
    `select ${Array.from({ length: 300 }, (_, n) => `sum(case when a = ${n} and b > c then d end) as c${n}`).join(', ')} from t`,
    `select * from t where ${times(1_000, "a <> 'x'", ' and ')}`,
    'select upper.upper from upper(a)',
  ])('are seen from the tree in %s', async (text) => {
    const found = await read(text);
    if (text.includes('&lt;')) expect(found).toHaveProperty('checked');
    else expect(found).toMatchObject({ checked: false });
  });

  it.each([
    "select a like '%' || b || '%' from t",
    'select strpos(a, b), replace(a, b, c) from t',
    `select replace(a, 'x', '${'y'.repeat(3_000)}') from t`,
    'select a @> b from t',
    'select array_agg(a) && array_agg(b) from t',
    'select (with x as (select strpos(a, b) as n from t) select n from x)',
    'select 1 from t group by a having strpos(a, b) > 1 order by split_part(a, b, 1)',
    'select count(*) filter (where a like b), sum(1) over (order by strpos(a, b)) from t',
    'select 1 from t join u on t.a like u.b',
    'values (strpos((select a from t), (select b from t)))',
    'select 1 from t, lateral unnest(string_to_array(a, b))',
    'select case when a like b then 1 end, coalesce(strpos(a, b)) from t',
    ...['limit', 'offset'].map((word) => `select 1 union all select 2 ${word} (select strpos(a, b) from t)`),
    'select a from t union select a from t order by (select strpos(a, b) from t)',
    'select 1 from t where a like any (select b from u)',
    'select 1 from t join u using (a) group by rollup (strpos(a, b))',
    'select distinct on (strpos(a, b)) 1 from t window w as (order by strpos(a, b))',
    'select sum(1) over (rows between strpos(a, b) preceding and current row) from t',
    'select percentile_cont(0.5) within group (order by strpos(a, b)) from t',
    'select 1 from rows from (generate_series(1, 2), upper((select max(strpos(a, b))::text from t))) x',
    'select (array[1, 2])[strpos(a, b)] from t',
    'select jsonb_object_agg(a, b) - array_agg(a) from t',
    `select "position"(a, b) from t`,
    "select array_replace(c, '1', a) from t",
    `select u.jsonb_pretty from t, jsonb_extract_path(a::jsonb, 'b') u`,
  ])('are checked as they run in %s', async (text) => {
    expect(await read(text)).toMatchObject({ checked: true });
  });

  it.each([
    "select 'x'::char(10485760)",
    'select 1::bit(80000000)',
    `select ${times(900, "'1e131071'::numeric", ',')}`,
    `select ${times(40, 'power(2::numeric, 400000)', '+')}`,
    `select concat(${times(300, 'a', ',')}) from t`,
    `select a || ${times(200, '(a || a)', '||')} from t`,
    `select ${times(900, 'md5(a)', '||')} from t`,
    `with x0 as materialized (select '"' as a), ${Array.from({ length: 24 }, (_, n) => `x${n + 1} as materialized (select to_json(a)::text as a from x${n})`).join(',')} select a from x24`,
    'select generate_series(1, 32001)',
    'select * from generate_series(1, 200) a, generate_series(1, 200) b',
    'select * from generate_series(1, 200) a join (select generate_series(1, 200) as n) b on true',
    'with s as (select * from generate_series(1, 200)) select * from s a, s b',
    "select * from generate_series('2000-01-01'::date, '2100-01-01', '1 hour')",
    'select 1 union all select 2 limit (select count(*) from generate_series(1, 1000000000000))',
    'select 1 union all select 2 offset (select count(*) from generate_series(1, 1000000000000))',
    'select 1 from generate_series(1, 200) a order by generate_series(1, 32000)',
    'select * from (select generate_series(1, 200) as n order by 1 fetch first 1 row with ties) a, generate_series(1, 200) b',
    ...['(select 1 as one) x', "upper('a') x", '(values (1)) x', '(select 1 as one union select 2) x'].map(
      (inner) =>
        `select length((select ${times(20, 'b', '||')} from ${inner})) from (select (select ${times(20, 'b', '||')} from ${inner}) as b from t) t`,
    ),
    `select (select length(y.v) from (select 1 as b) x, (select ${times(300, 'b', '||')} as v) y) from t`,
    `select (select length(${times(300, 'c.b', '||')}) from ((select 1 as b) c cross join (select 1 as d) d) j) from t c`,
    `select (select length(${times(300, 'b', '||')}) from (select x.* from (select 1 as a) x, (select 1 as b) y) z) from t`,
    `select (select 1 from (select 1 as c) x join (select 1 as d) y on length(${times(300, 'b', '||')}) > 1) from (select 1 as a) s, t`,
    `select length(${times(20, 'ju.b', '||')}) from (select ${times(20, 'a', '||')} as b from t) x join (select 'x' as b) y using (b) as ju`,
    nested(10, (inner) => `select q.to_json as a from (${inner}) q`, 'select a from t'),
    nested(
      10,
      (inner) => `select '1'::jsonb || (jsonb_build_array(${times(3, 'a', ',')}) - 'x') as a from (${inner}) q`,
      'select a from t',
    ),
    `with x0 as materialized (select to_tsquery('${times(2000, 'word', '|')}') as a), ${levels(15, (n) => `x${n + 1} as materialized (select a && a as a from x${n})`)} select numnode(a) from x15`,
  ])('are too great in %s', async (text) => {
    expect(await read(text)).toBe('LIMIT');
  });

  it.each([
    ['select * from generate_series(1, 32000)', 'tables'],
    ['select * from generate_series(10, -10, -5)', 'tables'],
    ['select generate_series(0, 1, 0.25)', 'tables'],
    ['select * from generate_series(1::bigint, 5::bigint) with ordinality as s(n, place)', 'tables'],
    ["select * from generate_series('2024-01-01'::date, '2024-12-31', '1 day') d", 'tables'],
    ["select * from generate_series(timestamp '2024-01-01 00:00', '2024-01-02', interval '15 minutes') d", 'tables'],
    ['select * from generate_series(1, 200) union all select * from generate_series(1, 200)', 'tables'],
    ['select * from generate_series(1, 32000) limit 5', 'tables'],
    ['select generate_series(1, 300) order by generate_series(1, 300)', 'tables'],
    ["select concat_ws(a, b, c), array_to_string(array_agg(a), ', ') from t group by 1", 'tables'],
    [
      'select (select max(u.a) from u where u.b = c), t.count, t.power, t.date, t.min from t, generate_series(1, 3) d',
      'tables',
    ],
    ['select c from t left join (select 1 as b) x on x.b = t.a join (select 2 as b) y using (b) as z', 'tables'],
  ])('let %s through', async (text, key) => {
    expect(await read(text)).toHaveProperty(key);
  });

  it.each([
    'select generate_series(1, 10, 0)',
    'select generate_series(1, a) from t',
    'select generate_series(1, (select 5))',
    "select * from generate_series('2024-01-01'::date, now(), '1 day')",
    "select * from generate_series('2024-01-01'::date, 'infinity', '1 day')",
    "select * from generate_series('2024-01-01'::date, '2025-01-01', '1 day -1 day')",
    "select generate_series(1, 'NaN'::numeric)",
    'select position(a in b) from t',
    'select trim(both a from b) from t',
    'select concat_ws(a, variadic c) from t',
  ])('refuse %s', async (text) => {
    expect(await read(text)).toBe('VALIDATION');
  });
});

describe('checks as it runs', () => {
  const FORMS: Readonly<Record<string, readonly string[]>> = {
    strpos: ['text,text'],
    position: ['text,text', 'bytea,bytea', 'bit,bit'],
    split_part: ['text,text,integer'],
    btrim: ['text,text', 'bytea,bytea'],
    ltrim: ['text,text', 'bytea,bytea'],
    rtrim: ['text,text', 'bytea,bytea'],
    trim: [], // the grammar's word for btrim
    translate: ['text,text,text'],
    string_to_array: ['text,text', 'text,text,text'],
    replace: ['text,text,text'],
    regexp_replace: ['', ',text', ',integer', ',integer,integer', ',integer,integer,text'].map(
      (more) => `text,text,text${more}`,
    ),
    array_to_string: ['anyarray,text', 'anyarray,text,text'],
    array_replace: ['anycompatiblearray,anycompatible,anycompatible'],
    jsonb_pretty: ['jsonb'],
    ...Object.fromEntries(
      ['ts_rank', 'ts_rank_cd'].map((name) => [
        name,
        ['', 'real[],'].flatMap((before) => ['', ',integer'].map((after) => `${before}tsvector,tsquery${after}`)),
      ]),
    ),
    '~~': ['text,text', 'bpchar,text', 'bytea,bytea'],
    '!~~': ['text,text', 'bpchar,text', 'bytea,bytea'],
    '~~*': ['text,text', 'bpchar,text'],
    '!~~*': ['text,text', 'bpchar,text'],
    '@>': ['anyarray,anyarray', 'jsonb,jsonb'],
    '<@': ['anyarray,anyarray', 'jsonb,jsonb'],
    '&&': ['anyarray,anyarray'],
    '-': ['jsonb,text[]'],
  };
  const great = { fixed: 0, times: 20, work: 0 };
  const lists = [1, 2, 3, 4, 5].flatMap((n) => [Array(n).fill(great), [SMALL, ...Array(n).fill(great)]]);
  const canCheck = (growths: typeof GROWTH) =>
    [...growths].filter(([, growth]) => lists.some((args) => growth(args).checked)).map(([name]) => name);

  it('are there for every function and operator that the tree leaves to them, and for no other', () => {
    const formsOf = (name: string) =>
      CHECKED.filter((one) => (one.operator ?? one.name) === name).map(({ args }) => args.join(','));
    const names = [...canCheck(GROWTH), ...canCheck(OPERATOR_GROWTH)];
    expect(Object.fromEntries(names.map((name) => [name, formsOf(name).sort()]))).toEqual(
      Object.fromEntries(Object.entries(FORMS).map(([name, forms]) => [name, [...forms].sort()])),
    );
    expect(CHECKED.filter(({ name, operator }) => !names.includes(operator ?? name))).toEqual([]);
  });

  it('have no size that is NULL', () => {
    for (const { size } of CHECKED) {
      const bare = size.replace(
        /coalesce\((octet_length|cardinality|pg_column_size|numnode)\(\$\d(::text)?\), 0\)/g,
        '',
      );
      expect([size, bare]).toEqual([size, expect.not.stringContaining('$')]);
    }
  });
});
