/** Form that saves the shown table, chart or map as a view of the resource. */

import { randomUUID } from 'node:crypto';
import { stringify } from 'node:querystring';
import { Field, Form, Notice } from '../form.tsx';
import { useTexts } from '../use-texts.ts';
import type { At, Saving } from './at.ts';

export function SaveView({ at, saving }: { at: At; saving: Saving | null }) {
  const { t } = useTexts();
  return (
    <details class="save" open={saving !== null}>
      <summary>{t('preview.saveAs')}</summary>
      <Notice text={saving?.faults.form} bad />
      <Form action={`${at.resourcePath}/view`} token={at.visit.frame.token} stacked>
        <input type="hidden" name="query" value={queryText(at)} />
        <input type="hidden" name="idempotencyKey" value={saving?.idempotencyKey || randomUUID()} />
        <Field
          name="title"
          label={t('preview.saveTitle')}
          value={saving?.title}
          faults={saving?.faults ?? {}}
          required
        />
        <button type="submit">{t('preview.save')}</button>
      </Form>
    </details>
  );
}

/** The parameters of the preview without those of a page or of one reader. */
function queryText({ query }: At): string {
  const { after: _after, before: _before, load: _load, ...kept } = query;
  return stringify(kept as Record<string, string | string[]>);
}
