import { createWorld } from '../helpers/world.ts';
import { realSearchTests } from '../suites/real_search.ts';

realSearchTests(createWorld);
