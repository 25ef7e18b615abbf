/** Tables of numbers with bars. */
import type { ComponentChild } from 'preact';
import { useTexts } from './use-texts.ts';

/** A bar; readers of the screen get its number from the table. */
export const Bar = ({ percent }: { percent: number }) => (
  <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <rect width={percent} height="10" />
  </svg>
);

interface BarsProps {
  readonly caption: string;
  /** Headings of the names and of the numbers. */
  readonly words: readonly [name: string, number: string];
  /** Whether the names are short. */
  readonly isNarrow?: boolean;
  readonly rows: readonly { name: string; label: ComponentChild; number: ComponentChild; percent: number }[];
}

export function Bars({ caption, words, rows, isNarrow = false }: BarsProps) {
  const { t } = useTexts();
  return (
    <table class={isNarrow ? 'bars narrow' : 'bars'}>
      <caption class="hidden">{caption}</caption>
      <thead class="hidden">
        <tr>
          {[...words, t('stats.bar')].map((word) => (
            <th key={word} scope="col">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, label, number, percent }) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td class="number">{number}</td>
            <td>
              <Bar percent={percent} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
