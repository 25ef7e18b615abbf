/** Page frame: head, header with search and navigation, main part, footer. Works without JavaScript. */
import type { ComponentChildren } from 'preact';
import { EVERYTHING } from './feed-paths.ts';
import { Form } from './form.tsx';
import type { Frame } from './frame.ts';
import { Meta, type PageMeta } from './head.tsx';
import { ICONS } from './icon-files.ts';
import { SearchBox } from './search-box.tsx';

export type { Frame } from './frame.ts';

interface LayoutProps {
  readonly frame: Frame;
  readonly title: string;
  /** For search engines and previews. Without it, search engines must not list the page. */
  readonly meta?: PageMeta;
  /** Additional elements of the page's head. */
  readonly head?: ComponentChildren;
  /** The home page has a search form of its own. */
  readonly isHome?: boolean;
  readonly children: ComponentChildren;
}

const NAVIGATION = {
  '/dataset': 'Datasets',
  '/organization': 'Organizations',
  '/group': 'Groups',
  '/tag': 'Tags',
  '/about': 'About',
};

export function Layout({ frame, title, meta, head, isHome = false, children }: LayoutProps) {
  const { siteTitle, viewer, addsDatasets, registration, token, logo, styles } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} – ${siteTitle}`}</title>
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href={ICONS.svg} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={ICONS.touch} />
        {styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        <Meta frame={frame} title={isHome ? siteTitle : title} meta={meta ?? null} />
        {head}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the main part
        </a>
        <header>
          <div class="bar">
            <a class="site" href="/">
              {/^(https?:|\/)/.test(logo) && <img src={logo} alt="" />}
              {siteTitle}
            </a>
            <nav aria-label="Main">
              {Object.entries(NAVIGATION).map(([path, label]) => (
                <a key={path} href={path}>
                  {label}
                </a>
              ))}
            </nav>
            {!isHome && <SearchBox path="/dataset" label="Search datasets" isSmall />}
            <nav aria-label="Account">
              {addsDatasets && <a href="/dataset/new">Add dataset</a>}
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
          </div>
        </header>
        <main id="main">{children}</main>
        <footer>
          <div class="bar">
            <nav aria-label="For programs">
              <a href="/graphql">GraphQL</a>
              <a href="/api/docs">Action API</a>
              <a href="/catalog.ttl">DCAT</a>
              <a href={EVERYTHING.path}>Atom feed</a>
            </nav>
            <nav aria-label="About the catalog">
              <a href="/stats">Statistics</a>
              <a href="/activity">Activities</a>
              <a href="/user">Users</a>
            </nav>
          </div>
        </footer>
      </body>
    </html>
  );
}
