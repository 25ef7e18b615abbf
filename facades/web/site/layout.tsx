/** Page frame: head, header with search and navigation, main part, footer. Works without JavaScript. */
import type { ComponentChildren } from 'preact';
import { EVERYTHING } from './feed-paths.ts';
import type { Frame } from './frame.ts';
import { metaOf, type PageMeta } from './head.tsx';
import { Header } from './header.tsx';
import { ICONS } from './icon-files.ts';
import { scriptPath } from './islands.ts';
import { elementOf, html, type Markup, view } from './markup.ts';
import { OwnText } from './own-text.tsx';
import { Region } from './region.tsx';
import type { Texts } from './texts.ts';
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
  const sheets = styles.map((href) => html`<link rel="stylesheet" href="${href}"/>`);
  return (
    <html lang={locale}>
      <head>
        {elementOf(
          START,
          html`<title>${title} – ${siteTitle}</title>${ICON_LINKS}${sheets}${SCRIPT}`,
          metaOf(frame, isHome ? siteTitle : title, meta ?? null),
        )}
        {head}
      </head>
      <body>
        {elementOf(html`<a class="skip" href="#main">${t('layout.skip')}</a>`)}
        <Header frame={frame} hasSearch={!isHome} />
        <main id="main">{children}</main>
        <Footer frame={frame} />
      </body>
    </html>
  );
}

const START = html`<meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>`;
const ICON_LINKS = [
  html`<link rel="icon" href="/favicon.ico" sizes="32x32"/>`,
  html`<link rel="icon" href="${ICONS.svg}" type="image/svg+xml"/>`,
  html`<link rel="apple-touch-icon" href="${ICONS.touch}"/>`,
];
const SCRIPT = html`<script type="module" src="${scriptPath('site')}"></script>`;
const PROGRAMS = html`<a href="/graphql">GraphQL</a><a href="/api/docs">Action API</a><a href="/catalog.ttl">DCAT</a>`;

function Footer({ frame }: { frame: Frame }) {
  const { t } = useTexts();
  const text = () => <OwnText frame={frame} slot="footer" />;
  const parts = { text, programs: () => programsOf(t), catalog: () => catalogOf(t) };
  const fallback = () => view`<div class="bar">${text()}${programsOf(t)}${catalogOf(t)}</div>`;
  return (
    <footer>
      <Region {...{ frame, name: 'footer', parts, fallback }} />
    </footer>
  );
}

function programsOf(t: Texts['t']): Markup {
  const feed = html`<a href="${EVERYTHING}">${t('layout.atom')}</a>`;
  return html`<nav aria-label="${t('layout.programs')}">${PROGRAMS}${feed}</nav>`;
}

function catalogOf(t: Texts['t']): Markup {
  const dashboards = html`<a href="/dashboards">${t('layout.dashboards')}</a>`;
  const statistics = html`<a href="/stats">${t('layout.statistics')}</a>`;
  const activities = html`<a href="/activity">${t('layout.activities')}</a>`;
  const users = html`<a href="/user">${t('layout.users')}</a>`;
  return html`<nav aria-label="${t('layout.catalog')}">${dashboards}${statistics}${activities}${users}</nav>`;
}
