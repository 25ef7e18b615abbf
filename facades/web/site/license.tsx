/** A license with an icon of its family, and a link to its text. */
import { Address } from './facts.tsx';
import { Icon, type IconName } from './icons.tsx';

/** Icon by words of the title; the first match counts. */
const FAMILIES: readonly (readonly [RegExp, IconName])[] = [
  [/public domain|\bcc0\b|cczero/i, 'free'],
  [/creative commons|\bcc[ -]by/i, 'commons'],
];

interface LicenseProps {
  readonly title: string;
  readonly url: string | null;
}

export const License = ({ title, url }: LicenseProps) => (
  <Address url={url ?? ''}>
    <Icon name={FAMILIES.find(([pattern]) => pattern.test(title))?.[1] ?? 'license'} /> {title}
  </Address>
);
