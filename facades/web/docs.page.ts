/** HTML and script of the interactive API page. */
import { toHtml } from './files.ts';

/** The page; `folder` is the path of its files, relative to the page. */
export const docsPage = (title: string, folder: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toHtml(title)} – API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<link rel="stylesheet" href="${folder}/page.css">
</head>
<body>
<div id="docs"><noscript>This page needs JavaScript. What it shows is also in /openapi.json.</noscript></div>
<script src="${folder}/swagger-ui.js"></script>
<script src="${folder}/page.js"></script>
</body>
</html>
`;

export const DOCS_CSS = `body { margin: 0; background: #fff; }
.swagger-ui .info { margin: 30px 0 10px; }
`;

/** Sends requests to the page's own origin, regardless of the site's URL: a page may call no other host. */
export const DOCS_JS = `'use strict';
fetch('../openapi.json')
  .then((answer) => answer.json())
  .then((spec) => {
    const here = new URL('..', location.href).href.replace(/\\/$/, '');
    SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: here }] },
      dom_id: '#docs',
      presets: [SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      deepLinking: true,
      displayRequestDuration: true,
      syntaxHighlight: { activated: false },
      validatorUrl: null,
    });
  });
`;
