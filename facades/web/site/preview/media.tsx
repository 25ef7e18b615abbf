/** Components that show files. */

import type { ComponentChildren } from 'preact';
import { Address } from '../facts.tsx';
import { useTexts } from '../use-texts.ts';

export type MediaKind = 'image' | 'pdf' | 'audio' | 'video' | 'page';

interface MediaProps {
  readonly kind: MediaKind;
  readonly url: string;
  readonly title: string;
}

export function Media({ kind, url, title }: MediaProps) {
  return (
    <div class="preview media">
      <Element {...{ kind, url, title }} />
      <p class="hint">
        <Address url={url}>{url}</Address>
      </p>
    </div>
  );
}

function Element({ kind, url, title }: MediaProps) {
  if (kind === 'image') return <img src={url} alt={title} />;
  // biome-ignore lint/a11y/useMediaCaption: the catalog has no captions of these files
  if (kind === 'audio') return <audio src={url} controls preload="none" aria-label={title} />;
  // biome-ignore lint/a11y/useMediaCaption: the catalog has no captions of these files
  if (kind === 'video') return <video src={url} controls preload="none" aria-label={title} />;
  // Browsers show PDF files by a program of their own, which does not run in a sandbox.
  if (kind === 'pdf') return <iframe src={url} title={title} loading="lazy" referrerpolicy="no-referrer" />;
  return (
    <iframe
      src={url}
      title={title}
      sandbox="allow-scripts allow-forms allow-popups"
      loading="lazy"
      referrerpolicy="no-referrer"
    />
  );
}

/** In place of content at another site. */
export function Elsewhere({ url, show }: { url: string; show: string | null }) {
  const { t } = useTexts();
  return (
    <div class="empty">
      <p>{t('preview.elsewhere', { host: URL.canParse(url) ? new URL(url).host : url })}</p>
      <p class="actions">
        {show && (
          <a class="button" href={show} rel="nofollow">
            {t('preview.showHere')}
          </a>
        )}
        <Address url={url}>{t('preview.openThere')}</Address>
      </p>
    </div>
  );
}

export function TextPreview({ text, isCut, url }: { text: string; isCut: boolean; url: string }) {
  const { t } = useTexts();
  return (
    <div class="preview">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a long text */}
      <pre class="file" tabIndex={0}>
        {`\n${text}`}
      </pre>
      {isCut && (
        <p class="hint">
          {t('preview.beginning')} <Address url={url}>{t('preview.wholeFile')}</Address>
        </p>
      )}
    </div>
  );
}

/** In place of a preview. */
export function NoPreview({ text, url }: { text: ComponentChildren; url: string }) {
  const { t } = useTexts();
  return (
    <p class="empty">
      {text} {url && <Address url={url}>{t('preview.openData')}</Address>}
    </p>
  );
}
