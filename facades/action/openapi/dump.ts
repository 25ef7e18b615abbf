/** OpenAPI description of `/datastore/dump`. */
import { DUMP_TYPES, dumpParams } from '../dump.ts';
import { queryParameter } from './requests.ts';

const TEXT = { type: 'string' };
const page = (description: string) => ({ description, content: { 'text/html': { schema: TEXT } } });

export const dumpPaths = {
  '/datastore/dump/{table}': {
    parameters: [
      { name: 'table', in: 'path', required: true, description: 'Id of the resource, or an alias.', schema: TEXT },
    ],
    get: {
      tags: ['DataStore'],
      operationId: 'datastore_dump',
      summary: 'Downloads a table.',
      description:
        'Requires read access to the table. The file is one snapshot of any length. If the connection is closed early, the file is incomplete.',
      parameters: Object.entries(dumpParams).map(([name, param]) => queryParameter(name, param)),
      responses: {
        200: {
          description: 'The table.',
          content: Object.fromEntries(
            Object.values(DUMP_TYPES).map((type) => [
              type.replace(/;.*/, ''),
              { schema: { type: 'string', format: 'binary' } },
            ]),
          ),
        },
        400: page('A parameter is invalid. The error names it.'),
        403: page('The caller may not read the table.'),
        404: page('The table does not exist.'),
        409: page('The table is being changed. Retry.'),
        429: page(
          'The caller has too many running downloads, or has exceeded the rate limit. Retry after `Retry-After` seconds.',
        ),
        503: page('The DataStore is unavailable, or too many downloads are running. Retry later.'),
      },
    },
  },
};
