/** Callers' SQL: allowed statements, and a list of refused attacks. */
import { describe, expect, it } from '@jest/globals';
import { parseStatement } from '../../../src/datastore/statement/statement.parser.ts';
import { checkStatement } from '../../../src/datastore/statement/statement.rules.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';

async function read(text: string) {
  try {
    return checkStatement((await parseStatement(text)).tree, 32_000);
  } catch (thrown) {
    if (thrown instanceof CatalogError) return thrown.kind;
    throw thrown;
  }
}

describe('the check of statements', () => {
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
  ])('allows %s', async (text) => {
    expect(await read(text)).toHaveProperty('tables');
  });

  it('lists all tables that a statement reads', async () => {
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

  it('refuses statements that are too long or too deep, and still parses others', async () => {
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
  ])('refuses subqueries whose sizes multiply (%#)', async (grow) => {
    expect(await read(grow(3))).toHaveProperty('tables');
    expect(await read(grow(22))).toBe('LIMIT');
  });

  it('allows long and nested queries whose sizes do not multiply', async () => {
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

  it('removes semicolons and leading comments, also with multi-byte characters', async () => {
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
