/** Generates openapi.json: the action table as an OpenAPI 3.1 description, from the same rows as help_show and docs/actions.md. */
import { components } from '../components.ts';
import { resourceParams } from '../dataset/params.ts';
import type { Table } from '../help.ts';
import { FILE } from '../params.ts';
import { object, TEXT } from '../schema.ts';
import { operationsOf } from './operation.ts';
import { dictionaryOf } from './requests.ts';
import { headers, responsesWith, type Statuses } from './responses.ts';
import { FILES_TAG, TAGS, tagOf } from './tags.ts';

export interface OpenapiOptions {
  readonly actions: Table;
  readonly title: string;
  /** Version of this software. */
  readonly version: string;
  readonly siteUrl: string;
  readonly statuses: Statuses;
  /** Whether form-encoded bodies are parsed as parameters (catalog.action_api.forms). */
  readonly readsForms: boolean;
  /** Additional header for API keys beside Authorization: apikey_header_name. */
  readonly keyHeader: string;
  /** Paths other than actions. */
  readonly paths: Readonly<Record<string, unknown>>;
}

const DESCRIPTION = `Each action has the URLs \`/api/3/action/<name>\` and \`/api/action/<name>\`. Read actions accept GET and POST, write
actions POST. \`dataset_…\` is an alias of \`package_…\`.

Parameters also accept other forms than described here: \`True\`, \`yes\`, \`on\` and \`1\` for true, digits in a text for a
number, and for a list a text with commas, a JSON list in a text, or a repeated parameter.

An API key identifies the caller. Without a key, or with an unknown key, the caller is anonymous and sees public data.
The same catalog is available as a graph at \`/graphql\`.`;

/** Description of all actions, by name, and of `paths`. */
export function openapiDocument({
  actions,
  title,
  version,
  siteUrl,
  statuses,
  readsForms,
  keyHeader,
  paths,
}: OpenapiOptions) {
  const rows = Object.entries(actions).sort(([a], [b]) => (a < b ? -1 : 1));
  const used = new Set(rows.map(([name]) => tagOf(name)));
  return {
    openapi: '3.1.0',
    info: { title: `${title} – API`, version, description: DESCRIPTION },
    servers: [{ url: siteUrl }],
    security: [{}, { key: [] }, { keyHeader: [] }, { bearer: [] }],
    tags: [
      ...TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description })),
      FILES_TAG,
    ],
    paths: {
      ...Object.fromEntries(
        rows.map(([name, row]) => [`/api/3/action/${name}`, operationsOf(name, row, { statuses, readsForms })]),
      ),
      ...paths,
    },
    components: {
      schemas: { ...components, ...inputs },
      responses: responsesWith(statuses),
      headers,
      parameters,
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The API key, without a scheme.' },
        keyHeader: { type: 'apiKey', in: 'header', name: keyHeader, description: 'The API key, without a scheme.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or token.' },
      },
    },
  };
}

const inputs = {
  ResourceInput: dictionaryOf(Object.entries(resourceParams).filter(([, { type }]) => type !== FILE)),
  TagInput: object({ name: TEXT }, { vocabulary_id: TEXT }),
};

const parameters = {
  callback: {
    name: 'callback',
    in: 'query',
    description: 'JSONP: wraps the response in a call of this function. The caller is then anonymous.',
    schema: { type: 'string', pattern: '^[A-Za-z_$][A-Za-z0-9_$]*$', maxLength: 100 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of the version that was read. The write is refused if the object has changed since.',
    schema: { type: 'string', pattern: '^"[0-9]{1,9}"$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of the cached version. The response is 304 if the object has not changed.',
    schema: { type: 'string', pattern: '^"[0-9]{1,9}-[A-Za-z0-9_-]{16}"$' },
  },
};
