/** Code that reads an object, to copy into programs. */
import type { Call } from './resource-calls.ts';
import { useTexts } from './use-texts.ts';

interface CallsProps {
  readonly calls: readonly Call[];
  /** Whether the first one is closed, too. */
  readonly isClosed?: boolean;
}

export function Calls({ calls, isClosed = false }: CallsProps) {
  const { t } = useTexts();
  return (
    <div data-copy={t('islands.copy')} data-copied={t('islands.copied')}>
      {calls.map(({ language, code }, index) => (
        <details key={language} class="call" open={index === 0 && !isClosed}>
          <summary>{language}</summary>
          <pre>
            <code>{code}</code>
          </pre>
        </details>
      ))}
    </div>
  );
}
