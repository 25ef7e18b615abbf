/** Settings of the storage of files. */
import { bool, text, textOrNull, urlOrNull } from './settings.types.ts';

export const FILE_SETTINGS = {
  'catalog.files.bucket': textOrNull(
    'Bucket of an S3-compatible object store for uploaded files. Default: the folder `files` in the data folder.',
    { pattern: [/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/, 'the name of a bucket'] },
  ),
  'catalog.files.prefix': text(
    '',
    'Prefix of object names, such as `catalog/`. Two catalogs must not use the same bucket with the same prefix.',
    { pattern: [/^[A-Za-z0-9._/-]*$/, 'letters, digits, `.`, `_`, `-` and `/` only'] },
  ),
  'catalog.files.endpoint': urlOrNull('URL of the object store. Default: the AWS endpoint of the region.'),
  'catalog.files.region': text('us-east-1', 'Region of the bucket. Most stores other than AWS ignore it.', {
    min: 1,
  }),
  'catalog.files.key_id': textOrNull(
    'Id of the access key for the bucket. Defaults to the AWS credential chain: environment variables, or the role of the machine.',
  ),
  'catalog.files.secret': textOrNull('Secret of the access key for the bucket.', { secret: true }),
  'catalog.files.path_style': bool(
    false,
    'Whether the bucket is part of the path (`<endpoint>/<bucket>`) in place of the host name. Many self-hosted stores require it.',
  ),
  'catalog.files.direct': bool(
    false,
    'Whether `beginUpload` returns a presigned URL of the object store in place of a URL of the catalog. Clients must be able to reach `catalog.files.endpoint`. Pages of other sites also need a CORS rule of the bucket. Files with an announced SHA-256, and files above 5 GiB, are always sent to the catalog.',
  ),
} as const;
