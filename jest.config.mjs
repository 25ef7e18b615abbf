/** All tests: TypeScript as ES modules, compiled by swc, on one PostgreSQL that is started for the run. */
const compiled = (parser) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', ...parser },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
      target: 'es2023',
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
];

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json', 'node'],
  transform: { '\\.ts$': compiled({}), '\\.tsx$': compiled({ tsx: true }) },
  cacheDirectory: '<rootDir>/.cache/jest',
  maxWorkers: 2,
  workerIdleMemoryLimit: '2GB', // one that has grown is replaced between two files: with 4 GB of old modules each file took longer
  testTimeout: 180_000, // what waits for something says so before, and what hangs fails: a busy machine alone fails nothing
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
};
