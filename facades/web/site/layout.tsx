/** Page frame: head, header with the account link, main part, footer. Works without JavaScript. */
import type { ComponentChildren } from 'preact';
import { Form } from './form.tsx';
import { STYLE_ADDRESS } from './style.ts';

/** The visitor, as far as the frame shows it; null when anonymous. */
export interface Viewer {
  readonly name: string;
  readonly displayName: string;
}

export interface Frame {
  readonly siteTitle: string;
  readonly viewer: Viewer | null;
  /** CSRF token of this page's forms. */
  readonly token: string;
  /** Whether visitors may create accounts. */
  readonly registration: boolean;
}

interface LayoutProps {
  readonly frame: Frame;
  readonly title: string;
  /** Additional elements of the page's head. */
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Layout({ frame, title, head, children }: LayoutProps) {
  const { siteTitle, viewer, registration, token } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} – ${siteTitle}`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={STYLE_ADDRESS} />
        {head}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the main part
        </a>
        <header>
          <a class="site" href="/">
            {siteTitle}
          </a>
          <nav aria-label="Account">
            {viewer ? (
              <>
                <a href={`/user/${encodeURIComponent(viewer.name)}`}>{viewer.displayName}</a>
                <Form action="/user/logout" token={token}>
                  <button type="submit" class="link">
                    Log out
                  </button>
                </Form>
              </>
            ) : (
              <>
                <a href="/user/login">Log in</a>
                {registration && <a href="/user/register">Register</a>}
              </>
            )}
          </nav>
        </header>
        <main id="main">{children}</main>
        <footer>
          <a href="/graphql">Graph</a> <a href="/api/docs">API</a>
        </footer>
      </body>
    </html>
  );
}
