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
        'For whoever may search it. One snapshot, of any length; a connection that is cut means a file that is not whole.',
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
        400: page('A parameter is wrong; says which.'),
        403: page('The caller may not read the table.'),
        404: page('There is no such table.'),
        409: page('Others are changing the table. Try again.'),
        429: page(
          'The caller has too many downloads under way, or has spent too much; `Retry-After` says when to ask again.',
        ),
        503: page('The database of the DataStore is down, or too many downloads are under way; ask again later.'),
      },
    },
  },
};
