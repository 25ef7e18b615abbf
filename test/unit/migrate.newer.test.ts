import { expect, it } from '@jest/globals';
import { incompatible } from '../../src/migrate/newer.ts';

it.each([
  ['0.3.0', '0080_needs_0.3.0_drop_period', true],
  ['0.10.0', '0080_needs_0.9.1_drop_period', true],
  ['1.0.0', '0080_needs_0.9.1_drop_period', true],
  ['0.3.0', '0080_more_columns', true],
  ['0.3.0', '0080_what_needs_9.9.9_has', true],
  ['0.2.9', '0080_needs_0.3.0_drop_period', false],
  ['0.9.0', '0080_needs_0.10.0_drop_period', false],
  ['0.3.0-rc.1', '0080_needs_0.3.0_drop_period', false],
  ['0.3.1-rc.1', '0080_needs_0.3.0_drop_period', true],
])('version %s on %s works: %s', (program, name, works) => {
  expect(incompatible([name], program)).toEqual(works ? [] : [name]);
});
