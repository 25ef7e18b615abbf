/** The house tests alone, without a database: part of `npm run check`. */
import all from './jest.config.mjs';

const { globalSetup, globalTeardown, ...rest } = all;
export default { ...rest, roots: ['<rootDir>/test/house'] };
