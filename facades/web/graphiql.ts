/** GraphiQL page at `/graphiql`, also shown to browsers that open `/graphql`. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { PageFrameDocument } from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import type { Sessions } from '../shared/session.ts';
import { CSS, createPage, fromPackage, JAVASCRIPT, type Page } from './files.ts';
import { PAGE_CSS, PAGE_JS, pageOf, type SignedIn } from './graphiql.page.ts';

export interface GraphiqlOptions {
  /** The site's current title. */
  readonly title: () => string;
  readonly run: RunOperation;
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  readonly sessions: Pick<Sessions, 'secretOf' | 'tokenFor'>;
}

export function createGraphiql({ title, run, callFor, sessions }: GraphiqlOptions): Page {
  /** The user of the session in the cookie. Null without one. */
  async function signedIn(req: IncomingMessage, res: ServerResponse): Promise<SignedIn | null> {
    if (sessions.secretOf(req) === undefined) return null; // visitors get the page without a query
    const { viewer } = await run(PageFrameDocument, {}, await callFor(req));
    return viewer ? { ...viewer, token: sessions.tokenFor(req, res) } : null;
  }

  return createPage({
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
    html: async (folder, req, res) => {
      const viewer = await signedIn(req, res);
      return { text: pageOf(title(), folder, viewer), isPersonal: viewer !== null };
    },
  });
}
