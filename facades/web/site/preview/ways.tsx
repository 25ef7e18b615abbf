/** Links between the ways to look at a table. */

import type { ComponentChildren } from 'preact';
import { useTexts } from '../use-texts.ts';

interface WaysProps {
  readonly ways: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
  /** Form to save what is shown. */
  readonly save: ComponentChildren;
  readonly children: ComponentChildren;
}

export const Ways = ({ ways, save, children }: WaysProps) => (
  <>
    <nav class="ways-to-look" aria-label={useTexts().t('preview.ways')}>
      {ways.map(({ label, href, isCurrent }) => (
        <a key={label} href={href} rel="nofollow" aria-current={isCurrent ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
    {children}
    {save}
  </>
);
