/** What openapi.json says of `/import`. */

const TEXT = { type: 'string' };
const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: { type: 'object' } } },
});

export const importPaths = {
  '/import': {
    post: {
      tags: ['Import'],
      operationId: 'import_records',
      summary: 'Brings in many records, each written or refused by itself.',
      description:
        'One JSON object a line: datasets, organizations and groups as the Action API gives them. What has the id of a record, or its name where the record has no id, is changed when it differs, so the same may be sent again. A record whose name belongs to an object of another id is refused. One line comes back for each, in the order in which they are done, and a last one with the counts.',
      parameters: [
        {
          name: 'replace',
          in: 'query',
          description: 'Whether a record changes the object that has its name, also where that has another id.',
          schema: { type: 'boolean', default: false },
        },
      ],
      requestBody: { required: true, content: { 'application/x-ndjson': { schema: TEXT } } },
      responses: {
        200: {
          description:
            'A line for each record: `line` (its number), `outcome` (created, updated, unchanged or failed), `id`, `name`, `errors` (code, message, path) where it failed, and `remarks` where something is here otherwise than in the record. Then `summary`, with `stopped` (line, code, message) where later lines were not read; a body without a summary is not whole.',
          content: { 'application/x-ndjson': { schema: TEXT } },
        },
        400: refusal('`replace` is neither true nor false.'),
        403: refusal('Nobody is signed in, or the caller may create and edit nothing. No line was read.'),
        415: refusal('The body is said to be something else than lines of JSON, or is packed.'),
      },
    },
  },
};
