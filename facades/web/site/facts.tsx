/** Facts about an object, as terms with descriptions. */
import type { ComponentChildren } from 'preact';

export const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
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

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `1536` → `1.5 KiB`. */
export function bytes(size: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(size, 1)) / 10), UNITS.length - 1);
  return `${Number((size / 1024 ** power).toPrecision(3))} ${UNITS[power]}`;
}
