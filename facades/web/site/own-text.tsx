/** A text of the theme at a place of the page. Renders nothing without one. */
import type { Frame } from './frame.ts';
import { HtmlText } from './html-text.tsx';
import type { Place } from './theme.ts';
import { useTexts } from './use-texts.ts';

export function OwnText({ frame, place }: { frame: Frame; place: Place }) {
  const { locale } = useTexts();
  const translated = frame.ownTexts[`${place}.${locale}`];
  const html = translated ?? frame.ownTexts[place];
  return html ? (
    <div class={`own ${place}`}>
      <HtmlText frame={frame} html={html} isTranslated={translated !== undefined} />
    </div>
  ) : null;
}
