/** All tests: TypeScript as ES modules, compiled by swc, with Node's own loader (test/runner). Projects `unit` and `house` need no database; the others share one PostgreSQL. */
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

const shared = {
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json', 'node'],
  transform: { '\\.ts$': compiled({}), '\\.tsx$': compiled({ tsx: true }) },
  cacheDirectory: '<rootDir>/.cache/jest',
  // With --watch, jest's own loader: it sees sources that change.
  ...(process.argv.some((word) => word.startsWith('--watch')) ? {} : { testRunner: '<rootDir>/test/runner/run.mjs' }),
};
const withDatabase = {
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
};
const ALONE = ['unit', 'house'];
const EXTERNAL = ['compat', 'solr'];
const LARGE = ['large'];

const below = (folders) => folders.map((folder) => `<rootDir>/test/${folder}`);
const elsewhere = [...ALONE, ...EXTERNAL, ...LARGE].map((folder) => `<rootDir>/test/${folder}/`);

export default {
  reporters: ['default', '<rootDir>/test/runner/slowest.mjs', '<rootDir>/test/runner/checkout.mjs'],
  testSequencer: '<rootDir>/test/runner/sequencer.mjs',
  maxWorkers: 3, // on two cores: tests wait for servers and browsers a third of the time
  workerIdleMemoryLimit: '2GB', // a worker that has grown is replaced between two files
  // The system takes half a second to free a worker of 800 MB on a busy machine: longer than jest's 500 ms. A leak is still reported.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 180_000, // a test that waits for a condition fails earlier by itself; this limit only ends tests that hang
  projects: [
    ...ALONE.map((name) => ({ ...shared, displayName: name, roots: below([name]) })),
    {
      ...shared,
      ...withDatabase,
      displayName: 'integration',
      roots: below(['']),
      testPathIgnorePatterns: elsewhere,
    },
    { ...shared, ...withDatabase, displayName: 'external', roots: below(EXTERNAL) },
    { ...shared, ...withDatabase, displayName: 'large', roots: below(LARGE) },
  ],
};
