/** Page frame: head, header with search and navigation, main part, footer. Works without JavaScript. */
import type { ComponentChildren } from 'preact';
import { EVERYTHING } from './feed-paths.ts';
import type { Frame } from './frame.ts';
import { Meta, type PageMeta } from './head.tsx';
import { Header } from './header.tsx';
import { ICONS } from './icon-files.ts';
import { scriptPath } from './islands.ts';
import { OwnText } from './own-text.tsx';
import { useTexts } from './use-texts.ts';

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

export function Layout({ frame, title, meta, head, isHome = false, children }: LayoutProps) {
  const { t, locale } = useTexts();
  const { siteTitle, styles } = frame;
  return (
    <html lang={locale}>
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
        <script type="module" src={scriptPath('site')} />
        <Meta frame={frame} title={isHome ? siteTitle : title} meta={meta ?? null} />
        {head}
      </head>
      <body>
        <a class="skip" href="#main">
          {t('layout.skip')}
        </a>
        <Header frame={frame} hasSearch={!isHome} />
        <main id="main">{children}</main>
        <footer>
          <div class="bar">
            <OwnText frame={frame} slot="footer" />
            <nav aria-label={t('layout.programs')}>
              <a href="/graphql">GraphQL</a>
              <a href="/api/docs">Action API</a>
              <a href="/catalog.ttl">DCAT</a>
              <a href={EVERYTHING}>{t('layout.atom')}</a>
            </nav>
            <nav aria-label={t('layout.catalog')}>
              <a href="/stats">{t('layout.statistics')}</a>
              <a href="/activity">{t('layout.activities')}</a>
              <a href="/user">{t('layout.users')}</a>
            </nav>
          </div>
        </footer>
      </body>
    </html>
  );
}
