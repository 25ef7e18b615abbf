/**
 * Enlarges a catalog faster than the server could: copies datasets, each with its own id, name and time, in the tables of reads,
 * searches and statistics. Does not copy tables used by writes only (extras as rows).
 */
const TABLES = ['dataset', 'dataset_document', 'dataset_search'];
/** Parts of datasets: columns that get an id of the copy. The other columns stay. */
const PARTS = { resource: ['id', 'dataset_id'], dataset_tag: ['dataset_id'], dataset_group: ['id', 'dataset_id'] };
/** Columns that PostgreSQL generates. */
const GIVEN = new Set(['number', 'written']);

/** Copies the whole catalog repeatedly, up to this number of datasets. */
export async function grow(client, datasets, say) {
  const { rows } = await client.query('SELECT count(*)::int AS count FROM dataset');
  const there = rows[0].count;
  if (there >= datasets) return;
  const { rows: indexes } = await client.query(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = current_schema() AND tablename = ANY ($1) AND indexdef ~ ' USING gin '`,
    [[...TABLES, ...Object.keys(PARTS)]],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`);
  for (let copy = 1; copy * there < datasets; copy += 1) {
    const most = Math.min(there, datasets - copy * there);
    for (const table of TABLES) await client.query(await copyText(client, table, copy, most));
    for (const [table, ids] of Object.entries(PARTS)) await client.query(await copyParts(client, table, ids, copy));
    say(`  ${Math.min(datasets, (copy + 1) * there)}`);
  }
  for (const { text } of indexes) await client.query(text);
}

const idOf = (column, copy) => `md5(${column} || '-${copy}')::uuid::text`;

/** Copies the parts of all datasets that have this copy. */
async function copyParts(client, table, ids, copy) {
  const columns = (await columnsOf(client, table)).map(({ name }) => name);
  const value = (name) => (ids.includes(name) ? idOf(`o.${name}`, copy) : `o."${name}"`);
  return `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')}) SELECT ${columns.map(value).join(', ')} FROM "${table}" o
    JOIN dataset d ON d.id = o.dataset_id AND d.name !~ '-copy-[0-9]+$'
    WHERE EXISTS (SELECT FROM dataset c WHERE c.id = ${idOf('o.dataset_id', copy)})`;
}

const columnsOf = async (client, table) =>
  (
    await client.query(
      'SELECT column_name AS name, udt_name AS type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1',
      [table],
    )
  ).rows;

async function copyText(client, table, copy, most) {
  const rows = await columnsOf(client, table);
  const id = table === 'dataset' ? 'id' : 'dataset_id';
  const newId = idOf(`o.${id}`, copy);
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
