/** Interactive API page at `/api/docs`, generated from `/openapi.json`. */
import { DOCS_CSS, DOCS_JS, docsPage } from './docs.page.ts';
import { CSS, createPage, fromPackage, JAVASCRIPT, type Page, versionOf } from './files.ts';

/** The page, with the site's current title. */
export const createDocs = (title: () => string): Page =>
  createPage({
    address: '/api/docs',
    prefix: '/static/docs/',
    version: versionOf('swagger-ui-dist'),
    files: {
      'swagger-ui.js': { type: JAVASCRIPT, read: () => fromPackage('swagger-ui-dist/swagger-ui-bundle.js') },
      'swagger-ui.css': { type: CSS, read: () => fromPackage('swagger-ui-dist/swagger-ui.css') },
      'page.js': { type: JAVASCRIPT, read: () => DOCS_JS },
      'page.css': { type: CSS, read: () => DOCS_CSS },
    },
    own: DOCS_JS + DOCS_CSS,
    html: (folder) => ({ text: docsPage(title(), folder), isPersonal: false }),
  });
