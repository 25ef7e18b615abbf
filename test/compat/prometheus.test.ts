/** The metrics page, parsed by Prometheus' own Python client. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { METRICS } from '../../src/monitor/definitions.ts';
import { samplesOf } from '../helpers/metrics.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** Prints the families and samples of a page as JSON. */
const PROGRAM = `
import json, sys, urllib.request
from prometheus_client.parser import text_string_to_metric_families
url, token = sys.argv[1:]
request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token})
with urllib.request.urlopen(request) as response:
    page = response.read().decode("utf-8")
families = list(text_string_to_metric_families(page))
print(json.dumps({
    "page": page,
    "types": {it.name: it.type for it in families},
    "samples": [[s.name, s.labels, s.value] for it in families for s in it.samples],
}))
`;
const TOKEN = 'a token of 20 letters';

describeWith('python3 with venv', hasPython(), 'prometheus-client 0.26.0', () => {
  let env: NodeJS.ProcessEnv;
  let world: World;

  beforeAll(async () => {
    env = await installPython('prometheus-client', '0.26.0');
    world = await createWorld({ 'catalog.monitoring.token': TOKEN });
  }, INSTALL_TIMEOUT);
  afterAll(() => world?.end());

  it(
    'is read with every metric, its type and every sample',
    async () => {
      await world.action('package_list');
      await world.graph('{ site { title } }');
      await world.request('/');
      const read = async () => {
        const { stdout } = await promisify(execFile)('python', ['-c', PROGRAM, `${world.base}/metrics`, TOKEN], {
          env,
          maxBuffer: 16 * 1024 * 1024,
        });
        return JSON.parse(stdout);
      };
      const isCounted = ([name, labels]: [string, Record<string, string>]) =>
        name === 'catalog_requests_total' && labels.facade === 'web';
      const { page, types, samples } = await until(async () => {
        const found = await read();
        return found.samples.some(isCounted) && found;
      });
      expect(samples).toHaveLength(samplesOf(page).size);
      for (const [name, { type }] of Object.entries(METRICS)) {
        const family = type === 'counter' ? name.replace(/_total$/, '') : name; // the client omits `_total` from names of counters
        expect([name, types[family]]).toEqual([name, type]);
      }
      expect(samples).toContainEqual([
        'catalog_requests_total',
        { facade: 'action', operation: 'package_list', status: '200' },
        1,
      ]);
      expect(samples).toContainEqual(['catalog_request_duration_seconds_count', { facade: 'graphql' }, 1]);
      expect(types.nodejs_eventloop_lag_seconds).toBe('gauge');
    },
    INSTALL_TIMEOUT,
  );
});
