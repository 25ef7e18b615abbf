/**
 * PostGraphile 5 on the catalog's database, configured as its documentation recommends for production: amber preset on its own server for
 * node:http, prepared statements, without watching, explaining or GraphiQL. It checks no permissions, as the database has no row security,
 * so it does less work than the catalog. POSTGRAPHILE_FOLDER has its package's folder, POSTGRAPHILE_DATABASE the database URL; a message reports the port.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const from = createRequire(join(process.env.POSTGRAPHILE_FOLDER, 'package.json'));
const { postgraphile } = from('postgraphile');
const { PostGraphileAmberPreset } = from('postgraphile/presets/amber');
const { makePgService } = from('postgraphile/adaptors/pg');
const { grafserv } = from('postgraphile/grafserv/node');

console.warn = () => {}; // long warnings about unknown types

const server = createServer();
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  disablePlugins: ['PgIndexBehaviorsPlugin'], // allows filters on columns without an index
  pgServices: [
    makePgService({
      connectionString: process.env.POSTGRAPHILE_DATABASE,
      schemas: ['public'],
      poolConfig: { max: Number(process.env.POSTGRAPHILE_CONNECTIONS) },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
});
await instance.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
