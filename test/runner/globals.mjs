/** Replaces '@jest/globals': modules are loaded once, but each test file has its own functions. */
import { GLOBALS } from './run.mjs';

const ofFile = (name) =>
  new Proxy(() => {}, {
    apply: (_, self, args) => Reflect.apply(globalThis[GLOBALS][name], self, args),
    get: (_, key) => globalThis[GLOBALS][name][key],
  });

export const describe = ofFile('describe');
export const it = ofFile('it');
export const test = ofFile('test');
export const expect = ofFile('expect');
export const beforeAll = ofFile('beforeAll');
export const beforeEach = ofFile('beforeEach');
export const afterAll = ofFile('afterAll');
export const afterEach = ofFile('afterEach');
export const jest = ofFile('jest');
