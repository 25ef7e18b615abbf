/**
 * PostGraphile 5 on the catalog's database, as its documentation has it for production: its amber preset on its own server for
 * node:http, prepared statements, neither watching nor explaining nor a page to try queries. It asks no policy and hides nothing,
 * as the database has no row security: that is less work than the catalog's.
 * Started with its package's folder in PEER_FOLDER and the database's address in PEER_DATABASE; tells its port by message.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const from = createRequire(join(process.env.PEER_FOLDER, 'package.json'));
const { postgraphile } = from('postgraphile');
const { PostGraphileAmberPreset } = from('postgraphile/presets/amber');
const { makePgService } = from('postgraphile/adaptors/pg');
const { grafserv } = from('postgraphile/grafserv/node');

console.warn = () => {}; // it tells at length of types that it does not know

const server = createServer();
const peer = postgraphile({
  extends: [PostGraphileAmberPreset],
  disablePlugins: ['PgIndexBehaviorsPlugin'], // lists may be filtered by columns without an index of their own
  pgServices: [
    makePgService({
      connectionString: process.env.PEER_DATABASE,
      schemas: ['public'],
      poolConfig: { max: Number(process.env.PEER_CONNECTIONS) },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
});
await peer.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
