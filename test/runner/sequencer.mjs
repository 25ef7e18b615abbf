/** Starts the slowest test files first, so that none of them runs alone at the end. */
import { relative } from 'node:path';
import Base from '@jest/test-sequencer';
import { knownSeconds } from './seconds.mjs';

export default class Sequencer extends (Base.default ?? Base) {
  sort(tests) {
    const known = knownSeconds();
    const seconds = ({ path, context }) => known[relative(context.config.rootDir, path)] ?? 0;
    return [...super.sort(tests)].sort((one, other) => seconds(other) - seconds(one));
  }
}
