/** Describes the responses of an action by status. catalog.action_api.status decides whether errors have a status of their own. */
import type { Row } from '../help.ts';
import type { Param } from '../params.ts';
import { object, ref, type Schema, TEXT } from '../schema.ts';

export type Statuses = 'contract' | 'http';

const json = (schema: Schema) => ({ 'application/json': { schema } });
const script = { 'application/javascript': { schema: TEXT } };
const refusal = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The envelope around a result. */
const envelope = (result: Schema): Schema =>
  object({
    help: { type: 'string', description: 'Summary of the action, and the URL of its help.' },
    success: { const: true },
    result,
  });

export function responsesOf(row: Row, method: 'get' | 'post', statuses: Statuses): Record<string, unknown> {
  const versioned = 'version' in row && row.version !== undefined;
  const success = envelope({ ...row.answers, description: row.returns });
  const headers = {
    ...(versioned && { ETag: { $ref: '#/components/headers/ETag' } }),
    ...(mayBeDeprecated(row) && { Deprecation: { $ref: '#/components/headers/Deprecation' } }),
  };
  const answered = statuses === 'contract' ? { anyOf: [success, ref('Failure')] } : success;
  return {
    200: {
      description:
        statuses === 'contract'
          ? 'The envelope. `success` is true with `result`, and false with `error`.'
          : 'The envelope with the `result`.',
      ...(Object.keys(headers).length > 0 && { headers }),
      content: { ...json(answered), ...(method === 'get' && script) },
    },
    ...(versioned && method === 'get' && { 304: refusal('Unchanged') }),
    400: refusal('BadRequest'),
    ...(statuses === 'http' && { 403: refusal('Denied'), 404: refusal('NotFound'), 409: refusal('Invalid') }),
    503: refusal('Unavailable'),
  };
}

const mayBeDeprecated = (row: Row): boolean =>
  row.deprecated !== undefined ||
  Object.values(row.params as Record<string, Param<unknown>>).some((param) => param.deprecated);

const failure = (description: string) => ({ description, content: json(ref('Failure')) });

/** Responses common to all actions, with errors by status when enabled. */
export const responsesWith = (statuses: Statuses) => ({
  ...always,
  ...(statuses === 'http' && refusals),
});

const always = {
  Unchanged: { description: 'Not modified since the version in If-None-Match. No body.' },
  BadRequest: {
    description: 'The request cannot be parsed, or the action does not exist. Plain text, without the envelope.',
    content: json(ref('BadRequest')),
  },
  Unavailable: failure('The server is temporarily unavailable. Retry later.'),
};

const refusals = {
  Denied: failure('The caller is not authorized: Authorization Error.'),
  NotFound: failure('The object does not exist: Not Found Error.'),
  Invalid: failure('The input is invalid: Validation Error, with messages for each field.'),
};

export const headers = {
  ETag: {
    description:
      'Version of the returned object, such as `"3-x1Yz"`. Send it in If-None-Match, or in If-Match of an update.',
    schema: TEXT,
  },
  Deprecation: { description: '`true` if the action or a sent parameter is deprecated.', schema: TEXT },
};
