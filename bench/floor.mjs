/**
 * Reference server: the least that Node and PostgreSQL can do to answer a dataset. A bare HTTP server, one named prepared statement, the
 * stored document as text; no rules, no permissions, no errors except a plain 404. For the DataStore: a POST with a statement and its
 * values returns the single text of the result. For kept texts: a PUT stores the bytes that GETs of its path return; below ASKING, after
 * a question for the state of the database. FLOOR_DATABASE and FLOOR_DATASTORE contain the database URLs; a message reports the port.
 */
import http from 'node:http';
import pg from 'pg';

const HEAD = '{"help":"http://localhost/api/3/action/help_show?name=package_show","success":true,"result":';

const pool = new pg.Pool({ connectionString: process.env.FLOOR_DATABASE, max: 10 });
const document = { name: 'floor', text: 'SELECT document FROM dataset_document WHERE name = $1', rowMode: 'array' };

/** The same for a page of a list. */
const page = {
  name: 'floor_page',
  text: `SELECT document FROM dataset_document WHERE state = 'active' AND NOT private ORDER BY modified_at DESC, dataset_id LIMIT $1`,
  rowMode: 'array',
};

const tables = new pg.Pool({ connectionString: process.env.FLOOR_DATASTORE, max: 10 });

/** Path → bytes. */
const kept = new Map();
const ASKING = '/asking';
const state = { name: 'floor_state', text: 'SELECT pg_current_snapshot()', rowMode: 'array' };

const server = http.createServer(async (req, res) => {
  const asks = req.url.startsWith(ASKING);
  const bytes = kept.get(asks ? req.url.slice(ASKING.length) : req.url);
  if (bytes && req.method === 'GET') {
    if (asks) await pool.query(state);
    return send(res, 200, bytes);
  }
  if (req.method === 'PUT') return keep(req, res);
  if (req.method === 'POST') return search(req, res);
  const value = decodeURIComponent(req.url.slice(req.url.lastIndexOf('=') + 1));
  const isPage = req.url.includes('?rows=');
  const { rows } = await pool.query({ ...(isPage ? page : document), values: [value] });
  const texts = rows.map(([text]) => text).join();
  answer(res, rows.length ? 200 : 404, rows.length ? `${HEAD}${isPage ? `[${texts}]` : texts}}` : '{}');
});

async function keep(req, res) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  kept.set(req.url, Buffer.concat(chunks));
  answer(res, 200, '{}');
}

const answer = (res, status, text) => send(res, status, Buffer.from(text));

function send(res, status, body) {
  res.writeHead(status, { 'content-type': 'application/json;charset=utf-8', 'content-length': body.length });
  res.end(body);
}

async function search(req, res) {
  let text = '';
  for await (const chunk of req) text += chunk;
  const { statement, values } = JSON.parse(text);
  const { rows } = await tables.query({ text: statement, values, rowMode: 'array' });
  answer(res, 200, `${HEAD}{"total":${rows[0][0]},"records":${rows[0][1]}}}`);
}
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
