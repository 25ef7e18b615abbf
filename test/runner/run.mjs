/**
 * Runs the test files of a worker in one realm, with Node's own module loader. Jest would load all of src/ again for each file, which costs
 * more than most files' tests. Only the test file is loaded per file. Sources and helpers are loaded once per worker. Used as jest's
 * `testRunner`: jest-circus runs the tests, over a runtime whose modules come from Node.
 */
import { rmSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { placeStack, withSources } from './stacks.mjs';

/** Key under which globals.mjs finds the functions of the running file. */
export const GLOBALS = Symbol.for('catalog.test.globals');

const require = createRequire(import.meta.url);
const hooks = require('node:async_hooks');
const { default: circus } = require('jest-circus/runner');
register('./hooks.mjs', import.meta.url);
process.once('exit', () => rmSync(join(tmpdir(), `catalog-tests-${process.pid}`), { recursive: true, force: true })); // of settingsForTests
const cwd = process.cwd();
let runs = 0;

export default async function run(globalConfig, config, environment, runtime, path, send) {
  const mocker = new environment.moduleMocker.constructor(globalThis);
  const timers = new environment.fakeTimersModern.constructor({ config, global: globalThis });
  const before = { symbols: symbols(), console: globalThis.console, env: { ...process.env } };
  const jest = jestObject(mocker, timers);
  const native = {
    requireInternalModule: anew,
    requireModule: require,
    setGlobalsForRuntime: (globals) => {
      globalThis[GLOBALS] = { ...globals, jest };
    },
    enterTestCode: () => runtime.enterTestCode(),
    leaveTestCode: () => runtime.leaveTestCode(),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file) => import(`${pathToFileURL(file)}?run=${++runs}`),
  };
  // Node's own stack traces. Jest's 100 frames, each mapped to its source, would make every refusal of a server slower.
  Error.stackTraceLimit = 10;
  Error.prepareStackTrace = undefined;
  environment.handleTestEvent = ({ error, test, hook }) => {
    if (error) for (const thrown of [error, test?.asyncError, hook?.asyncError].flat()) placeStack(thrown);
  };
  globalThis.console = environment.global.console; // jest prints it with the name of the file
  try {
    return await circus(globalConfig, config, environment, native, path, send);
  } catch (thrown) {
    placeStack(thrown);
    throw thrown;
  } finally {
    for (const entry of globalThis.console.getBuffer?.() ?? []) entry.origin = withSources(entry.origin);
    jest.restore();
    globalThis.console = before.console;
    restoreProcess(before.env);
    // jest-circus stores the tests of a file under symbols such as EVENT_HANDLERS. Removes them, so that the next file starts without them.
    for (const symbol of symbols())
      if (!before.symbols.includes(symbol) && /^[A-Z_]+$/.test(symbol.description)) delete globalThis[symbol];
    delete globalThis[GLOBALS];
  }
}

const symbols = () => Object.getOwnPropertySymbols(globalThis);

/** Loads a module again, because jest-circus stores its state in the module. */
function anew(file) {
  delete require.cache[file];
  const real = Object.getOwnPropertyDescriptor(hooks, 'AsyncLocalStorage'); // a getter since Node 22
  Object.defineProperty(hooks, 'AsyncLocalStorage', { value: Current, configurable: true });
  try {
    return require(file);
  } finally {
    Object.defineProperty(hooks, 'AsyncLocalStorage', real);
  }
}

/**
 * Replaces AsyncLocalStorage in jest-circus, which stores the running test in one. Before Node 24 the real one hooks every promise of the
 * process, once for each file that the worker has run. Here tests run one after another.
 */
class Current {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, work) {
    const before = this.#store;
    this.#store = store;
    try {
      return await work();
    } finally {
      this.#store = before;
    }
  }
}

/** The part of the object `jest` that tests here use. */
const jestObject = (mocker, timers) => ({
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  restore() {
    timers.dispose(); // restores real timers
    mocker.restoreAllMocks();
  },
});

function restoreProcess(env) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
