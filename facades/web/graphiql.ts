/** GraphiQL page at `/graphiql`, also shown to browsers that open `/graphql`. */

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PageFrameDocument } from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import type { Sessions } from '../shared/session.ts';
import { CSS, createPage, JAVASCRIPT, type Page } from './files.ts';
import { PAGE_CSS, PAGE_JS, pageOf, type SignedIn } from './graphiql.page.ts';

export interface GraphiqlOptions {
  /** The site's current title. */
  readonly title: () => string;
  readonly run: RunOperation;
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  readonly sessions: Pick<Sessions, 'secretOf' | 'tokenFor'>;
}

const SCRIPTS = ['graphiql', 'editor.worker', 'graphql.worker', 'json.worker'];

/** A file that scripts/graphiql.mjs has made. */
const bundled = (file: string): string => readFileSync(join(projectRoot, 'dist/graphiql', file), 'utf8');

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
    version: bundled('stamp').slice(0, 12),
    files: {
      ...Object.fromEntries(
        SCRIPTS.map((name) => [`${name}.js`, { type: JAVASCRIPT, read: () => bundled(`${name}.js`) }]),
      ),
      'graphiql.css': { type: CSS, read: () => bundled('graphiql.css') },
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
