/** OpenAPI operations of one action: GET for reads, POST for all. */

import { looksAtVersions } from '../define.ts';
import { alternatives, type Row } from '../help.ts';
import { bodyOf, queryOf } from './requests.ts';
import { responsesOf, type Statuses } from './responses.ts';
import { tagOf } from './tags.ts';

/** HTTP methods of an action's path. */
export function operationsOf(
  name: string,
  row: Row,
  { statuses, readsForms }: { readonly statuses: Statuses; readonly readsForms: boolean },
): Record<string, unknown> {
  const common = {
    tags: [tagOf(name)],
    summary: row.summary,
    ...(row.deprecated && { deprecated: true }),
  };
  const description = [
    row.deprecated && `**Deprecated:** ${row.deprecated}`,
    row.anyOf && `**One of these must be given:** ${alternatives(row, (name) => `\`${name}\``)}.`,
    `**Returns:** ${row.returns}`,
  ]
    .filter(Boolean)
    .join('\n\n');
  const post = {
    ...common,
    operationId: row.kind === 'read' ? `${name}_post` : name,
    description: row.kind === 'read' ? `The same as GET, for parameters that are long. ${description}` : description,
    ...(looksAtVersions(row) && { parameters: [{ $ref: '#/components/parameters/IfMatch' }] }),
    requestBody: bodyOf(row, readsForms),
    responses: responsesOf(row, 'post', statuses),
  };
  if (row.kind === 'write') return { post };
  const get = {
    ...common,
    operationId: name,
    description,
    parameters: queryOf(row),
    responses: responsesOf(row, 'get', statuses),
  };
  return { get, post };
}
