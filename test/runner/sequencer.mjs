/** Starts the slowest test files first, so that no worker ends a run alone with one of them. A fresh clone knows no times from earlier runs. */

import { relative } from 'node:path';
import Base from '@jest/test-sequencer';

/** Files that take more than 25 s on two quiet cores, slowest first. Update it from the report at the end of a run. */
const SLOW = [
  'action/hostile.test.ts',
  'large/loading.hostile.test.ts',
  'compat/rdf.test.ts',
  'graph/privacy.test.ts',
  'large/subscribers.test.ts',
  'large/loading.test.ts',
  'large/statements.test.ts',
  'graph/statements.test.ts',
  'compat/schemathesis.test.ts',
  'large/storm.test.ts',
  'compat/replay.test.ts',
  'graph/hostile.test.ts',
  'harvest/ckan.test.ts',
  'cli/home.test.ts',
  'action/upload.test.ts',
  'action/refusals.hidden.test.ts',
  'compat/datastore.clients.test.ts',
  'legacy/hostile.test.ts',
  'action/authorization.test.ts',
  'loading/csv.test.ts',
  'web/password-links.test.ts',
  'compat/graph.clients.test.ts',
  'compat/ckanapi.test.ts',
  'graph/session.test.ts',
  'solr/real.test.ts',
  'legacy/privacy.test.ts',
  'action/datastore_timeout.test.ts',
  'large/upload.test.ts',
  'action/datastore.test.ts',
  'graph/recovery.test.ts',
  'harvest/tables.test.ts',
  'unit/loading/parquet.test.ts',
];

export default class Sequencer extends (Base.default ?? Base) {
  sort(tests) {
    const rank = ({ path, context }) => {
      const at = SLOW.indexOf(relative(`${context.config.rootDir}/test`, path));
      return at < 0 ? SLOW.length : at;
    };
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}
