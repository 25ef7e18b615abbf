/** The most useful parts of the query language (docs/search.md), with examples. */
import { useTexts } from './use-texts.ts';

const FIELDS = 'title, notes, tags, author, res_name, res_format, license_id';

export function SearchTips() {
  const { t, rich } = useTexts();
  const tips = [
    ['"flood risk"', t('tips.phrase')],
    ['title:river', rich('tips.field', { list: <code key="list">{FIELDS}</code> })],
    ['title:(river OR lake)', t('tips.or')],
    ['trans*', t('tips.part')],
    ['metadata_modified:[NOW-7DAYS TO NOW]', t('tips.time')],
  ] as const;
  return (
    <details class="tips">
      <summary>{t('tips.title')}</summary>
      <p>{rich('tips.words', { plus: <code key="plus">+word</code>, minus: <code key="minus">-word</code> })}</p>
      <dl>
        {tips.map(([example, meaning]) => (
          <>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
    </details>
  );
}
