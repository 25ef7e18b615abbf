/** Page of one record of a table, with whole values. */

import { infoOf } from '../facts.tsx';
import type { Frame } from '../frame.ts';
import { Layout } from '../layout.tsx';
import { Trail } from '../resource-page.tsx';
import { useTexts } from '../use-texts.ts';
import { dataFields, type PreviewRecord, type Table } from './at.ts';
import { Outward, textOf } from './cell.tsx';
import { maxValue } from './table-limits.ts';

interface RecordProps {
  readonly frame: Frame;
  readonly table: Table;
  readonly record: PreviewRecord;
  readonly resourceTitle: string;
  readonly resourcePath: string;
  readonly dataset: { readonly name: string; readonly title: string; readonly localTitle: string };
}

export function RecordPage({ frame, table, record, resourceTitle, resourcePath, dataset }: RecordProps) {
  const { texts } = frame;
  const fields = dataFields(table);
  const max = maxValue(fields.length);
  const title = texts.t('preview.recordNumber', { number: String(record._id) });
  return (
    <Layout frame={frame} title={`${title} – ${resourceTitle}`}>
      <Trail dataset={dataset}>
        {' '}
        <span aria-hidden="true">/</span> <a href={resourcePath}>{resourceTitle}</a>
      </Trail>
      <h1>{title}</h1>
      <dl class="record">
        {fields.map((field) => (
          <>
            <dt>{infoOf(field, 'label') || field.id}</dt>
            <dd>
              <Value text={textOf(record[field.id], field.type)} max={max} />
            </dd>
          </>
        ))}
      </dl>
    </Layout>
  );
}

function Value({ text, max }: { text: string; max: number }) {
  const { t } = useTexts();
  if (/^https?:\/\/\S+$/i.test(text) && text.length < 2_000) return <Outward url={text} />;
  if (text.length <= max) return <span class="prose">{text}</span>;
  return (
    <>
      <span class="prose">{text.slice(0, max)}…</span>
      <p class="hint">{t('preview.cut', { max })}</p>
    </>
  );
}
