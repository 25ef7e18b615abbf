/** The operation of a chart as a link to GraphiQL, and as a call of curl. */
import { type DocumentNode, print } from 'graphql';
import { quoted } from '../resource-calls.ts';
import { hrefOf } from '../search-query.ts';
import type { At, Chart } from './chart.ts';

const printed = new WeakMap<DocumentNode, string>();

/** The text of an operation. */
export function textOf(document: DocumentNode): string {
  let text = printed.get(document);
  if (text === undefined) printed.set(document, (text = print(document)));
  return text;
}

export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The operation as clients send it. */
export function operationOf({ document, variables }: Chart, at: At): Operation {
  const named = Object.entries(variables({ ...at, organization: at.organizationId }) as object).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return { query: textOf(document), variables: Object.fromEntries(named) };
}

export const graphiqlHref = ({ query, variables }: Operation): string =>
  hrefOf('/graphiql', [
    ['query', query],
    ['variables', JSON.stringify(variables)],
  ]);

/** `withToken`: what the reader sees needs a token. */
export const curlCall = ({ query, variables }: Operation, siteUrl: string, withToken: boolean): string =>
  [
    `curl ${quoted(`${siteUrl}/graphql`)}`,
    "-H 'content-type: application/json'",
    ...(withToken ? ['-H "authorization: $CATALOG_TOKEN"'] : []),
    `-d ${quoted(JSON.stringify({ query: query.replace(/\s+/g, ' '), variables }))}`,
  ].join(' \\\n  ');
