/**
 * Makes a catalog larger than the server could fill in a coffee break: copies of datasets, each with an id, a name and a time of
 * its own, in the tables that reads and searches look at. What only writes look at (resources, tags, extras as rows) is not copied.
 */
const TABLES = ['dataset', 'dataset_document', 'dataset_search'];
/** What PostgreSQL gives itself. */
const GIVEN = new Set(['number', 'written']);

/** Copies what is there, as a whole, until there are so many datasets. */
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
