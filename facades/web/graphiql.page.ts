/** HTML and script of the GraphiQL page. */
import { toHtml } from './files.ts';

interface Example {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** A first query that works on any catalog, even an empty one. */
const START = `# Write a query here and press Ctrl-Enter.
# Ctrl-Space suggests fields.
# The book at the left is the reference.
# Log in on this site to be signed in here,
# or put an API key below, under Headers.

query Start {
  site {
    title
    url
    version
    contractVersion
  }
}
`;

/** Example operations, one tab each; a test runs them. */
export const EXAMPLES: readonly Example[] = [
  { query: START },
  {
    query: `# A page of datasets. For the next one send
# "after": the endCursor of this one.

query Datasets($first: Int, $after: String) {
  datasets(first: $first, after: $after) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes {
      name
      title
      modifiedAt
      organization { title }
      resources { name format url }
    }
  }
}
`,
    variables: { first: 10 },
  },
  {
    query: `# Search with facets, and with the words that
# were found. What a query costs stands in the
# answer, under extensions.

query Search($words: String!) {
  search(query: $words, first: 10) {
    totalCount
    facets(fields: ["organization", "tags", "res_format"]) {
      field
      values(first: 5) { nodes { name count } totalCount }
    }
    edges {
      highlights { field pieces { text isMatch } }
      node { name title }
    }
  }
}
`,
    variables: { words: 'water' },
  },
  {
    query: `# Organizations, each with its newest datasets.

query Organizations {
  organizations(first: 10) {
    nodes {
      name
      title
      datasets(first: 3) {
        totalCount
        nodes { name title }
      }
    }
  }
}
`,
  },
  {
    query: `# The datasets with data that can be asked for
# row by row: their columns and first records.

query Tables {
  search(first: 5) {
    nodes {
      name
      resources {
        name
        table {
          fields { id type }
          records(first: 3) { totalCount nodes }
        }
      }
    }
  }
}
`,
  },
  {
    query: `# Sends changes as they happen. Run this,
# then change a dataset. With the variable
# "after", also sends the changes since that
# cursor. { changesEnd } returns the newest.

subscription Follow($after: String) {
  changes(after: $after, types: [DATASET]) {
    cursor
    at
    operation
    name
    dataset { title version }
  }
}
`,
  },
  {
    query: `# Returns the new dataset, or the errors.
# Requires an API key.

mutation Create($input: CreateDatasetInput!) {
  createDataset(input: $input) {
    dataset { id name version }
    errors { code path message }
  }
}
`,
    variables: { input: { name: 'my-first-dataset', title: 'My first dataset' } },
  },
  {
    query: `# To send a file: run this with an API key, PUT
# the bytes to the url with these headers, then
# give the token to createResource as "upload".

mutation Upload($input: BeginUploadInput!) {
  beginUpload(input: $input) {
    upload {
      token
      url
      method
      headers { name value }
      expiresAt
    }
    errors { code path message }
  }
}
`,
    variables: { input: { size: 20, contentType: 'text/csv' } },
  },
];

/** The user who is signed in, with the CSRF token of the page's requests. */
export interface SignedIn {
  readonly name: string;
  readonly displayName: string;
  readonly token: string;
}

const account = (viewer: SignedIn | null): string =>
  viewer
    ? `Signed in as <a href="user/${encodeURIComponent(viewer.name)}">${toHtml(viewer.displayName)}</a>. An API key under Headers takes precedence.`
    : `Not signed in. <a href="user/login?came_from=%2Fgraphiql">Log in</a>, or put an API key under Headers.`;

/** The page; `folder` is the path of its files, relative to the page. */
export const pageOf = (title: string, folder: string, viewer: SignedIn | null): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toHtml(title)} – GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/graphiql.css">
<link rel="stylesheet" href="${folder}/page.css">
</head>
<body>
<p id="account">${account(viewer)}</p>
<div id="graphiql"${viewer ? ` data-csrf="${toHtml(viewer.token)}"` : ''}><noscript>This page needs JavaScript. The graph itself does not: POST your queries to /graphql.</noscript></div>
<script src="${folder}/graphiql.js"></script>
<script src="${folder}/page.js"></script>
</body>
</html>
`;

const HEADERS = '{\n  "Authorization": ""\n}\n';

/** On a narrow screen, puts the response below the query, because beside it would be unreadable. */
export const PAGE_CSS = `html, body { height: 100%; margin: 0; overflow: hidden; }
body { display: flex; flex-direction: column; }
#account { margin: 0; padding: .4rem 1rem; font: .8rem/1.4 system-ui, sans-serif; background: #eef1f7; color: #222; }
#account a { color: #14489e; }
#graphiql { flex: 1; min-height: 0; overflow: hidden; }
@media (max-width: 48rem) {
  .graphiql-container #graphiql-session { flex-direction: column; }
  .graphiql-container #graphiql-session > * { min-height: 0; min-width: 0; }
  .graphiql-container #graphiql-session > .graphiql-horizontal-drag-bar { display: none; }
}
`;

export const PAGE_JS = `'use strict';
const root = document.getElementById('graphiql');
// Without a session, other cookies of this host are not sent.
const session = root.dataset.csrf
  ? { credentials: 'same-origin', headers: { 'X-CSRF-Token': root.dataset.csrf } }
  : { credentials: 'omit', headers: {} };
const fetcher = createGraphiQLFetcher({
  url: 'graphql',
  subscriptionUrl: new URL('graphql', location.href).href.replace(/^http/, 'ws'),
  fetch: (url, init) => fetch(url, { ...init, ...session, headers: { ...init.headers, ...session.headers } }),
});
const asked = operationIn(new URLSearchParams(location.search));
const page = createElement(GraphiQL, {
  fetcher,
  // An operation in the address gets a tab of its own, which is not run by itself.
  ...(asked && { initialQuery: asked.query, initialVariables: asked.variables }),
  defaultTabs: [...(asked ? [asked] : []), ...${JSON.stringify(
    EXAMPLES.map(({ query, variables }) => ({
      query,
      headers: HEADERS,
      variables: variables ? JSON.stringify(variables, null, 2) : null,
    })),
  )}],
  defaultHeaders: ${JSON.stringify(HEADERS)},
  defaultEditorToolsVisibility: 'headers',
  shouldPersistHeaders: false,
});
createRoot(root).render(page);
function operationIn(address) {
  const query = address.get('query');
  if (!query) return null;
  let variables = address.get('variables') ?? '';
  try {
    variables = variables && JSON.stringify(JSON.parse(variables), null, 2);
  } catch {
    // shown as it is: the editor marks what is wrong
  }
  return { query, variables, headers: ${JSON.stringify(HEADERS)} };
}
`;
