/** A text of the theme at a slot of the page. Renders nothing without one. */
import type { Frame } from './frame.ts';
import { HtmlText } from './html-text.tsx';
import type { Slot } from './theme-files.ts';
import { useTexts } from './use-texts.ts';

export function OwnText({ frame, slot }: { frame: Frame; slot: Slot }) {
  const { locale } = useTexts();
  const translated = frame.ownTexts[`${slot}.${locale}`];
  const html = translated ?? frame.ownTexts[slot];
  return html ? (
    <div class={`own ${slot}`}>
      <HtmlText frame={frame} html={html} isTranslated={translated !== undefined} />
    </div>
  ) : null;
}
