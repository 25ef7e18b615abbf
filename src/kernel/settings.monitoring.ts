/** The settings of monitoring and of the log: a part of the table in settings.ts. */
import { bool, int, list, oneOf, type Setting, text, textOrNull, urlOrNull } from './settings.types.ts';

/** Areas of the log. */
export const AREAS = [
  'http',
  'graphql',
  'database',
  'jobs',
  'webhooks',
  'links',
  'mail',
  'files',
  'background',
] as const;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const MONITORING_SETTINGS = {
  'catalog.monitoring.port': int(
    0,
    0,
    65_535,
    'Port of its own for `/metrics`, with `/livez` and `/readyz`, which are also on `catalog.port`. Each process needs another one. 0: no such port ([monitor](monitor.md)).',
  ),
  'catalog.monitoring.host': text(
    '127.0.0.1',
    'IP address to listen on for `catalog.monitoring.port`. `0.0.0.0`: all interfaces. Metrics are then readable by all who can reach the port, unless there is a token.',
    { min: 1 },
  ),
  'catalog.monitoring.token': textOrNull(
    'Token for `/metrics`, sent as `Authorization: Bearer <token>`. It is required to publish metrics on `catalog.port`. Default: no token, and metrics only on `catalog.monitoring.port`.',
    { secret: true, min: 16 },
  ),
  'catalog.log_level': oneOf(LEVELS, 'info', 'Minimum level of log messages.'),
  'catalog.log_areas': list(
    [],
    'Minimum level of log messages per area, such as `jobs=debug http=warn`. The areas are `http`, `graphql`, `database`, `jobs`, `webhooks`, `links`, `mail`, `files` and `background`.',
    {
      pattern: [
        new RegExp(`^(?:${AREAS.join('|')})=(?:${LEVELS.join('|')})$`),
        `items such as jobs=debug, with an area (${AREAS.join(', ')}) and a level (${LEVELS.join(', ')})`,
      ],
    },
  ),
  'catalog.log_format': oneOf(
    ['auto', 'json', 'pretty'],
    'auto',
    'Format of the log. `json`: one JSON object per line. `pretty`: lines for people. `auto`: `pretty` on a terminal, otherwise `json`.',
  ),
  'catalog.log_requests': bool(
    false,
    'Whether each request is logged at the level `info`, with its method, route, status, time (ms), cost, user id and request id ([monitor](monitor.md#log)).',
  ),
  'catalog.tracing.endpoint': urlOrNull(
    'Collector of traces that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. `/v1/traces` is added to it. Default: no traces ([monitor](monitor.md#traces)).',
    { alias: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  ),
  'catalog.tracing.headers': textOrNull(
    'Headers for the collector, such as `api-key=abc,tenant=1`, with percent-encoded values.',
    {
      secret: true,
      alias: 'OTEL_EXPORTER_OTLP_HEADERS',
      pattern: [
        /^\s*[\w-]+\s*=(?:[!-$&-+\--~]|%(?:[2-6][\dA-Fa-f]|7[\dA-Ea-e]))*\s*(?:,\s*[\w-]+\s*=(?:[!-$&-+\--~]|%(?:[2-6][\dA-Fa-f]|7[\dA-Ea-e]))*\s*)*$/,
        'pairs such as key=value, separated by commas, with percent-encoded values of ASCII',
      ],
    },
  ),
  'catalog.tracing.ratio': text('1', 'Share of requests that are traced, from `0` to `1`.', {
    alias: 'OTEL_TRACES_SAMPLER_ARG',
    pattern: [/^(?:0|1|0?\.\d{1,9}|[01]\.0{1,9}|0\.\d{1,9})$/, 'a number from 0 to 1, such as 0.05'],
  }),
  'catalog.tracing.callers': oneOf(
    ['follow', 'ratio'],
    'follow',
    'Requests with a valid `traceparent` continue the trace of their caller. `follow`: they are traced if the caller has sampled the trace. `ratio`: `catalog.tracing.ratio` decides.',
  ),
  'catalog.tracing.service': text('catalog', 'Name of this service in traces.', {
    min: 1,
    max: 100,
    alias: 'OTEL_SERVICE_NAME',
  }),
  'catalog.server_timing': bool(
    false,
    'Whether responses have `Server-Timing`, with the time and the number of SQL statements. Everyone can then measure parts of the site, so use it for tests ([monitor](monitor.md#server-timing)).',
  ),
  'catalog.log_sql': bool(false, 'Whether every SQL statement is logged.', { alias: 'LOG_SQL' }),
} as const satisfies Record<string, Setting<never> | Setting<any>>;
