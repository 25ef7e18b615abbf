/** Renders a preview with the list of views and its embed code. The embed page shows the preview alone. */

import type { ComponentChildren } from 'preact';
import type { Frame } from '../frame.ts';
import type { ResourceData } from '../resource-page.tsx';
import { useTexts } from '../use-texts.ts';
import type { View } from './at.ts';

interface PreviewProps {
  readonly frame: Frame;
  readonly resource: ResourceData;
  readonly resourcePath: string;
  readonly view: View | null;
  readonly children: ComponentChildren;
}

export const viewPath = (resourcePath: string, view: View | null): string =>
  view ? `${resourcePath}/view/${encodeURIComponent(view.databaseId)}` : resourcePath;

export function PreviewSection({ frame, resource, resourcePath, view, children }: PreviewProps) {
  const { t } = useTexts();
  const embed = `${frame.siteUrl}${viewPath(resourcePath, view)}/embed`;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{t('preview.title')}</h2>
      {resource.views.length > 1 && (
        <nav class="tabs" aria-label={t('preview.views')}>
          {resource.views.map((one) => (
            <a
              key={one.databaseId}
              href={viewPath(resourcePath, one)}
              aria-current={one.databaseId === view?.databaseId ? 'page' : undefined}
            >
              {one.title || one.viewType}
            </a>
          ))}
        </nav>
      )}
      {view?.description && <p class="prose">{view.description}</p>}
      {children}
      <details class="call">
        <summary>{t('preview.embed')}</summary>
        <pre>
          <code>{`<iframe src="${embed}" width="700" height="500" title="${attribute(resource.name || t('preview.title'))}"></iframe>`}</code>
        </pre>
      </details>
    </section>
  );
}

/** A text inside an attribute of HTML. */
const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

interface EmbedProps {
  readonly frame: Frame;
  readonly title: string;
  /** Path of the whole page. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** A page of nothing but the preview. Its links to other pages leave the frame. */
export const EmbedPage = ({ frame, title, path, children }: EmbedProps) => (
  <html lang={frame.texts.locale}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>{`${title} – ${frame.siteTitle}`}</title>
      {frame.styles.map((href) => (
        <link key={href} rel="stylesheet" href={href} />
      ))}
    </head>
    <body class="embed">
      <main id="main">
        <h1>{title}</h1>
        {children}
        <p class="hint">
          <a href={path} target="_blank" rel="noopener">
            {frame.siteTitle}
          </a>
        </p>
      </main>
    </body>
  </html>
);
