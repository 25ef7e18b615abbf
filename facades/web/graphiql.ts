/** GraphiQL page at `/graphiql`, also shown to browsers that open `/graphql`. */

import { CSS, createPage, fromPackage, JAVASCRIPT, type Page } from './files.ts';
import { PAGE_CSS, PAGE_JS, pageOf } from './graphiql.page.ts';

/** The page, with the site's current title. */
export const createGraphiql = (title: () => string): Page =>
  createPage({
    address: '/graphiql',
    prefix: '/static/graphiql/',
    package: 'graphiql',
    files: {
      'react.js': { type: JAVASCRIPT, read: () => fromPackage('react/umd/react.production.min.js') },
      'react-dom.js': { type: JAVASCRIPT, read: () => fromPackage('react-dom/umd/react-dom.production.min.js') },
      'graphiql.js': { type: JAVASCRIPT, read: () => fromPackage('graphiql/graphiql.min.js') },
      'graphiql.css': { type: CSS, read: () => fromPackage('graphiql/graphiql.min.css') },
      'page.js': { type: JAVASCRIPT, read: () => PAGE_JS },
      'page.css': { type: CSS, read: () => PAGE_CSS },
    },
    own: PAGE_JS + PAGE_CSS,
    html: (folder) => pageOf(title(), folder),
  });
