/** Links to the machine-readable formats of a page: in the head, and as a visible list. */
import type { ComponentChildren } from 'preact';
import { LINKED_FORMATS } from '../../shared/formats.ts';

/** `address`: URL of the object, without a suffix. */
export const Alternates = ({ address }: { address: string }) => (
  <>
    {LINKED_FORMATS.map(({ suffix, types: [type], title }) => (
      <link key={suffix} rel="alternate" type={type} title={title} href={`${address}.${suffix}`} />
    ))}
  </>
);

/** `children`: more items. */
export const Formats = ({ path, children }: { path: string; children?: ComponentChildren }) => (
  <ul class="tags">
    {LINKED_FORMATS.map(({ suffix, title }) => (
      <li key={suffix}>
        <a href={`${path}.${suffix}`}>{title}</a>
      </li>
    ))}
    {children}
  </ul>
);
