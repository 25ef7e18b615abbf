/** The page on which people try the graph out: its HTML and the one small script of ours. */
import { toHtml } from './files.ts';

/** A first query that works on any catalog, also an empty one. */
export const EXAMPLE = `# Write a query here and press Ctrl-Enter.
# Ctrl-Space suggests fields.
# The book at the left is the reference.
# To sign in, put your API key below,
# under Headers.

query Start {
  site {
    title
    url
    version
    contractVersion
  }
}
`;

/** The page; `folder` is where its files lie, as the page sees it. */
export const pageOf = (title: string, folder: string): string => `<!doctype html>
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
<div id="graphiql"><noscript>This page needs JavaScript. The graph itself does not: POST your queries to /graphql.</noscript></div>
<script src="${folder}/react.js"></script>
<script src="${folder}/react-dom.js"></script>
<script src="${folder}/graphiql.js"></script>
<script src="${folder}/page.js"></script>
</body>
</html>
`;

export const PAGE_CSS = 'html, body, #graphiql { height: 100%; margin: 0; overflow: hidden; }\n';

export const PAGE_JS = `'use strict';
const fetcher = GraphiQL.createFetcher({
  url: 'graphql',
  fetch: (url, init) => fetch(url, { ...init, credentials: 'omit' }),
});
const page = React.createElement(GraphiQL, {
  fetcher,
  defaultQuery: ${JSON.stringify(EXAMPLE)},
  defaultHeaders: ${JSON.stringify('{\n  "Authorization": ""\n}\n')},
  defaultEditorToolsVisibility: 'headers',
  shouldPersistHeaders: false,
});
ReactDOM.createRoot(document.getElementById('graphiql')).render(page);
`;
