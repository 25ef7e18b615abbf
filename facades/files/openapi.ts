/** What openapi.json says of files. */

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
  ETag: header('Of these bytes.'),
  'Content-Disposition': header('Whether to show or to save it, and its name.'),
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
      description: 'For whoever may see the dataset. A resource that is a link leads there.',
      parameters: [
        {
          name: 'Range',
          in: 'header',
          description: 'A part of it, such as `bytes=0-99`.',
          schema: { ...TEXT, pattern: '^bytes=[0-9]{1,6}-[0-9]{1,6}$' },
        },
      ],
      responses: {
        200: { description: 'The bytes.', headers: fileHeaders, content: bytes },
        206: {
          description: 'The part that was asked for.',
          headers: { ...fileHeaders, 'Content-Range': header('Which part it is.') },
          content: bytes,
        },
        302: { description: 'It is kept elsewhere.', headers: { Location: header('Where.') } },
        304: { description: 'What If-None-Match or If-Modified-Since names is still so.' },
        403: page('The caller may not see the dataset.'),
        404: page('There is no such dataset, resource or file.'),
        416: { description: 'There is no such part.' },
      },
    },
  },
  '/upload/{token}': {
    parameters: [parameter('token', 'Token of the upload.')],
    put: {
      tags: ['Files'],
      operationId: 'upload_receive',
      summary: 'Takes in the bytes of a file that was announced.',
      description:
        'For whoever has the token: `beginUpload` on `/graphql` makes one, and other mutations then take the file by it. No key is asked for, and none counts. What is refused leaves nothing behind; after 400 and 413 it can be sent again.',
      security: [],
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
      responses: {
        204: { description: 'The file is in.' },
        400: refusal('Fewer bytes than were announced, or of another type or hash.'),
        404: refusal('There is no such token, or it has expired.'),
        409: refusal('The file is in already.'),
        413: refusal('More bytes than were announced.'),
        503: refusal('There is no room, or the store of files cannot be reached.'),
      },
    },
  },
};
