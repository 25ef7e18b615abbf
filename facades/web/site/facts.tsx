/** Renders properties as terms and values of a description list. */
import type { ComponentChildren } from 'preact';

interface FactProps {
  readonly label: string;
  /** Language of label and value, when they are data in another one than the page. */
  readonly lang?: string | undefined;
  readonly children: ComponentChildren;
}

export const Fact = ({ label, lang, children }: FactProps) => (
  <>
    <dt lang={lang}>{label}</dt>
    <dd lang={lang}>{children}</dd>
  </>
);

/** A link when browsers may follow the URL; otherwise its text. */
export function Address({ url, children }: { url: string; children: ComponentChildren }) {
  return /^(https?|ftp):\/\//i.test(url) ? (
    <a href={url} rel="nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
}

/** A text of a column's entry in the data dictionary. */
export function infoOf({ info }: { readonly info?: unknown }, key: string): string {
  const value = info && typeof info === 'object' ? (info as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : '';
}
