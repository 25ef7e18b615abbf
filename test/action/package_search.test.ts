import { createWorld } from '../helpers/world.ts';
import { packageSearchTests } from '../suites/package_search.ts';

packageSearchTests(createWorld);
