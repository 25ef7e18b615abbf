/** A menu of the header: opens without scripts, by mouse and keyboard. At most one is open. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface MenuProps {
  readonly icon: IconName;
  /** Label of the button and of its links. */
  readonly label: string;
  /** Text of the button. Default: the label. */
  readonly text?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Menu({ icon, label, text, class: kind, children }: MenuProps) {
  return (
    // Browsers skip a <details> that is itself an item of the header's reading-flow.
    <div class={kind ? `menu ${kind}` : 'menu'}>
      <details name="menu">
        <summary>
          <Icon name={icon} /> {text !== undefined && <span class="hidden">{label}: </span>}
          <span class="name">{text ?? label}</span>
        </summary>
        <nav aria-label={label}>{children}</nav>
      </details>
    </div>
  );
}
