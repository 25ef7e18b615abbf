/**
 * What everything is compared with: the least that Node and PostgreSQL can do to answer a dataset. A bare HTTP server,
 * one named prepared statement, the document's ready text; no rules, no permissions, no errors but a plain 404.
 * Started with the database's address in FLOOR_DATABASE; tells its port by message.
 */
import http from 'node:http';
import pg from 'pg';

const HEAD = '{"help":"http://localhost/api/3/action/help_show?name=package_show","success":true,"result":';

const pool = new pg.Pool({ connectionString: process.env.FLOOR_DATABASE, max: 10 });
const document = { name: 'floor', text: 'SELECT document FROM dataset_document WHERE name = $1', rowMode: 'array' };

const server = http.createServer(async (req, res) => {
  const name = decodeURIComponent(req.url.slice(req.url.lastIndexOf('=') + 1));
  const { rows } = await pool.query({ ...document, values: [name] });
  const body = Buffer.from(rows.length ? `${HEAD}${rows[0][0]}}` : '{}');
  res.writeHead(rows.length ? 200 : 404, {
    'content-type': 'application/json;charset=utf-8',
    'content-length': body.length,
  });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
