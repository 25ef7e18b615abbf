/** OpenAPI description of files. */

const TEXT = { type: 'string' };
const header = (description: string) => ({ description, schema: TEXT });
const parameter = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: TEXT,
});
const page = (description: string) => ({ description, content: { 'text/html': { schema: TEXT } } });

const fileHeaders = {
  ETag: header('ETag of these bytes.'),
  'Content-Disposition': header('Whether to display or save the file, and its name.'),
  'Accept-Ranges': header('`bytes`.'),
};
const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: { type: 'object' } } },
});
const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } };

/** Paths of downloads. */
export const filePaths = {
  '/dataset/{dataset}/resource/{resource}/download/{name}': {
    parameters: [
      parameter('dataset', 'Id or name of the dataset.'),
      parameter('resource', 'Id of the resource.'),
      parameter('name', 'Any name; the last part of the resource’s `url`.'),
    ],
    get: {
      tags: ['Files'],
      operationId: 'resource_download',
      summary: 'Downloads the file of a resource.',
      description: 'Requires read access to the dataset. For a link, redirects to its URL.',
      parameters: [
        {
          name: 'Range',
          in: 'header',
          description: 'Requested part, such as `bytes=0-99`.',
          schema: { ...TEXT, pattern: '^bytes=[0-9]{1,6}-[0-9]{1,6}$' },
        },
      ],
      responses: {
        200: { description: 'The bytes.', headers: fileHeaders, content: bytes },
        206: {
          description: 'The requested part.',
          headers: { ...fileHeaders, 'Content-Range': header('Returned part.') },
          content: bytes,
        },
        302: { description: 'The file is at another URL.', headers: { Location: header('Where.') } },
        304: { description: 'Not modified since the request named by If-None-Match or If-Modified-Since.' },
        403: page('The caller may not read the dataset.'),
        404: page('No such dataset, resource or file.'),
        416: { description: 'The requested part does not exist.' },
      },
    },
  },
  '/upload/{token}': {
    parameters: [parameter('token', 'Token of the upload.')],
    put: {
      tags: ['Files'],
      operationId: 'upload_receive',
      summary: 'Uploads the bytes of an announced file.',
      description:
        '`beginUpload` on `/graphql` creates the token, and other mutations refer to the file by it. No API key is required. A refused upload stores nothing; after 400 and 413 the file can be sent again.',
      security: [],
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
      responses: {
        204: { description: 'The file is stored.' },
        400: refusal('Fewer bytes than announced, or another type or hash.'),
        404: refusal('Unknown or expired token.'),
        409: refusal('The file is already stored.'),
        413: refusal('More bytes than announced.'),
        503: refusal('The file storage is full or unavailable.'),
      },
    },
  },
};
