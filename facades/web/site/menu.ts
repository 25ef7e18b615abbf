/** A menu of the header: opens without scripts, by mouse and keyboard. At most one is open. */
import { type IconName, iconOf } from './icons.tsx';
import { html, type Markup } from './markup.ts';

interface MenuOptions {
  readonly icon: IconName;
  /** Label of the button and of its links. */
  readonly label: string;
  /** Text of the button. Default: the label. */
  readonly text?: string;
  readonly kind: string;
}

export function menuOf({ icon, label, text, kind }: MenuOptions, links: readonly (Markup | false)[]): Markup {
  const hidden = text !== undefined && html`<span class="hidden">${label}: </span>`;
  const summary = html`<summary>${iconOf(icon)} ${hidden}<span class="name">${text ?? label}</span></summary>`;
  const nav = html`<nav aria-label="${label}">${links}</nav>`;
  // Browsers skip a <details> that is itself an item of the header's reading-flow.
  return html`<div class="menu ${kind}"><details name="menu">${summary}${nav}</details></div>`;
}
