/**
 * Enlarges a catalog faster than the server could: copies datasets, each with its own id, name and time, in the tables of reads and
 * searches. Does not copy tables used by writes only (resources, tags, extras as rows).
 */
const TABLES = ['dataset', 'dataset_document', 'dataset_search'];
/** Columns that PostgreSQL generates. */
const GIVEN = new Set(['number', 'written']);

/** Copies the whole catalog repeatedly, up to this number of datasets. */
export async function grow(client, datasets, say) {
  const { rows } = await client.query('SELECT count(*)::int AS count FROM dataset');
  const there = rows[0].count;
  if (there >= datasets) return;
  const { rows: indexes } = await client.query(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = current_schema() AND tablename = ANY ($1) AND indexdef ~ ' USING gin '`,
    [TABLES],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`);
  for (let copy = 1; copy * there < datasets; copy += 1) {
    for (const table of TABLES)
      await client.query(await copyText(client, table, copy, Math.min(there, datasets - copy * there)));
    say(`  ${Math.min(datasets, (copy + 1) * there)}`);
  }
  for (const { text } of indexes) await client.query(text);
}

async function copyText(client, table, copy, most) {
  const { rows } = await client.query(
    'SELECT column_name AS name, udt_name AS type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1',
    [table],
  );
  const id = table === 'dataset' ? 'id' : 'dataset_id';
  const newId = `md5(o.${id} || '-${copy}')::uuid::text`;
  const newName = `(o.name || '-copy-${copy}')`;
  const value = ({ name, type }) => {
    if (name === id) return newId;
    if (name === 'name') return newName;
    if (name === 'document')
      return `replace(replace(o.document, o.${id}, ${newId}), to_json(o.name)::text, to_json(${newName})::text)`;
    return type === 'timestamptz' && name === 'modified_at'
      ? `o.modified_at + interval '${copy} milliseconds'`
      : `o."${name}"`;
  };
  const columns = rows.filter(({ name }) => !GIVEN.has(name));
  return `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join(', ')})
    SELECT ${columns.map(value).join(', ')} FROM "${table}" o WHERE o.name !~ '-copy-[0-9]+$' ORDER BY o.name LIMIT ${most}`;
}
