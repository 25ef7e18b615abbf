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
    help: { type: 'string', description: 'What the action does, and where its help is.' },
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
          ? 'The envelope: `success` tells whether `result` or `error` is in it.'
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
  Unchanged: { description: 'What If-None-Match names is still so. No body.' },
  BadRequest: {
    description: 'The request cannot be read, or the name is no action. A bare text, without the envelope.',
    content: json(ref('BadRequest')),
  },
  Unavailable: failure('The server cannot do this now; try again later.'),
};

const refusals = {
  Denied: failure('The caller may not do this: Authorization Error.'),
  NotFound: failure('There is no such thing: Not Found Error.'),
  Invalid: failure('Something that was sent is wrong: Validation Error, with the texts per field.'),
};

export const headers = {
  ETag: {
    description: 'The version of what is shown, such as `"3-x1Yz"`: for If-None-Match, and for If-Match of its update.',
    schema: TEXT,
  },
  Deprecation: { description: '`true` when the action or a parameter that was given is deprecated.', schema: TEXT },
};
