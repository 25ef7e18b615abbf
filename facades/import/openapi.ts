/** OpenAPI description of `/import`. */

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
      summary: 'Imports many records. Each record is written or refused separately.',
      description:
        'One JSON object per line: datasets, organizations and groups in the format of the Action API. An existing object with the same id (or name, if the record has no id) is updated if it differs, so requests can be repeated. A record whose name belongs to an object with another id is refused. The response has one line per record, in the order of processing, and a last line with counts.',
      parameters: [
        {
          name: 'replace',
          in: 'query',
          description: 'Whether a record updates the object with the same name, even if that object has another id.',
          schema: { type: 'boolean', default: false },
        },
      ],
      requestBody: { required: true, content: { 'application/x-ndjson': { schema: TEXT } } },
      responses: {
        200: {
          description:
            'One line per record: `line` (its number), `outcome` (created, updated, unchanged or failed), `id`, `name`, `errors` (code, message, path) if it failed, and `remarks` if the stored object differs from the record. Then `summary`, with `stopped` (line, code, message) if later lines were not read. A response without a summary is incomplete.',
          content: { 'application/x-ndjson': { schema: TEXT } },
        },
        400: refusal('`replace` must be true or false.'),
        403: refusal('Not signed in, or the caller is not authorized to create or edit anything. No line was read.'),
        415: refusal(
          '`Content-Type` is not one of JSON lines, such as `application/x-ndjson`, or the body has a `Content-Encoding`.',
        ),
      },
    },
  },
};
