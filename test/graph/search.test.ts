import { createWorld } from '../helpers/world.ts';
import { searchConnectionTests } from '../suites/search_connection.ts';

searchConnectionTests(() => createWorld({}, { counts: true }));
