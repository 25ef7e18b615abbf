/** Calls that read a resource, to copy into programs. */

export const resourcePath = (dataset: string, resource: string): string =>
  `/dataset/${encodeURIComponent(dataset)}/resource/${encodeURIComponent(resource)}`;

/** File extensions of pages for people. */
const PAGES = new Set(['html', 'htm', 'php', 'asp', 'aspx', 'jsp']);

/** Whether a URL leads to a file rather than a page: by its extension, or because it is that of a table's file. */
export function isDownload(url: string): boolean {
  if (/^https?:\/\/[^?#]+\/datastore\/dump\/[^/?#]+$/.test(url)) return true;
  const [path] = url.split(/[?#]/, 1);
  const extension = /^https?:\/\/[^/?#]+\/[^?#]*\.([a-z0-9]{2,8})$/i.exec(path!)?.[1];
  return extension !== undefined && !PAGES.has(extension.toLowerCase());
}

export interface Call {
  readonly language: string;
  readonly code: string;
}

/** Records that an example reads. */
const ROWS = 5;

/** Reads records of a table. */
export function tableCalls(siteUrl: string, id: string): Call[] {
  const action = `${siteUrl}/api/3/action/datastore_search`;
  const url = `${action}?resource_id=${encodeURIComponent(id)}&limit=${ROWS}`;
  const query = `query ($id: String!) { table(databaseId: $id) { records(first: ${ROWS}) { nodes pageInfo { endCursor } } } }`;
  return [
    { language: 'curl', code: `curl ${quoted(url)}` },
    {
      language: 'Python',
      code: [
        'import requests',
        '',
        `answer = requests.get(${text(action)}, params={"resource_id": ${text(id)}, "limit": ${ROWS}})`,
        'for record in answer.json()["result"]["records"]:',
        '    print(record)',
      ].join('\n'),
    },
    {
      language: 'R',
      code: `library(jsonlite)\nrecords <- fromJSON(${text(url)})$result$records\nprint(records)`,
    },
    { language: 'JavaScript', code: fetchCode(url, 'console.table(result.records)') },
    { language: 'GraphQL', code: graphqlCode(siteUrl, query, id) },
  ];
}

/** Reads the metadata of a resource, with the URL of its data. */
export const resourceCalls = (siteUrl: string, id: string): Call[] =>
  showCalls(siteUrl, 'resource', id, {
    python: ['data = requests.get(resource["url"]).content'],
    r: 'print(resource$url)',
    script: 'console.log(result.url)',
    query: 'query ($id: String!) { resource(databaseId: $id) { name url format size } }',
  });

/** Reads the metadata of a dataset. */
export const datasetCalls = (siteUrl: string, name: string): Call[] =>
  showCalls(siteUrl, 'dataset', name, {
    python: ['for resource in dataset["resources"]:', '    print(resource["format"], resource["url"])'],
    r: 'print(dataset$resources[c("format", "url")])',
    script: 'console.table(result.resources)',
    query: 'query ($id: String) { dataset(name: $id) { title license { title } resources { name url format } } }',
  });

/** Lines of the programs that use the object after reading it. */
interface Uses {
  readonly python: readonly string[];
  readonly r: string;
  readonly script: string;
  readonly query: string;
}

function showCalls(siteUrl: string, kind: 'resource' | 'dataset', id: string, { python, r, script, query }: Uses) {
  const action = `${siteUrl}/api/3/action/${kind === 'dataset' ? 'package' : kind}_show`;
  const url = `${action}?id=${encodeURIComponent(id)}`;
  const request = `${kind} = requests.get(${text(action)}, params={"id": ${text(id)}}).json()["result"]`;
  return [
    { language: 'curl', code: `curl ${quoted(url)}` },
    { language: 'Python', code: ['import requests', '', request, ...python].join('\n') },
    { language: 'R', code: `library(jsonlite)\n${kind} <- fromJSON(${text(url)})$result\n${r}` },
    { language: 'JavaScript', code: fetchCode(url, script) },
    { language: 'GraphQL', code: graphqlCode(siteUrl, query, id) },
  ];
}

/** A string in Python, R and JavaScript. */
const text = (value: string): string => JSON.stringify(value);

const fetchCode = (url: string, use: string): string =>
  [`const answer = await fetch(${text(url)});`, 'const { result } = await answer.json();', `${use};`].join('\n');

const graphqlCode = (siteUrl: string, query: string, id: string): string =>
  [
    `curl ${quoted(`${siteUrl}/graphql`)}`,
    "-H 'content-type: application/json'",
    `-d ${quoted(JSON.stringify({ query, variables: { id } }))}`,
  ].join(' \\\n  ');

/** A word of a shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
