/** Page with the form of a new or existing dataset. */
import type { FormPageProps } from './edit-form.ts';
import { OneField } from './fields.tsx';
import { FaultNotice, Form, Hidden, SignInAgain } from './form.tsx';
import { hiddenNames } from './form-texts.ts';
import { Layout } from './layout.tsx';
import { hrefOf } from './search-query.ts';
import { useTexts } from './use-texts.ts';

/** Fields above the columns. */
const WIDE = ['title', 'name', 'notes', 'tags'];

interface DatasetFormProps extends Omit<FormPageProps<unknown>, 'context'> {
  /** State of the stored dataset; null for a new one; empty if the dataset was not read. */
  readonly state: string | null;
  /** Declared types of datasets. */
  readonly types: readonly { readonly name: string }[];
}

export function DatasetFormPage({ frame, action, fields, texts, faults, isLost, state, types }: DatasetFormProps) {
  const { t } = useTexts();
  const title = state === null ? t('edit.newDataset') : t('edit.editDataset');
  const names = Object.keys(fields);
  const field = (name: string) => <OneField key={name} name={name} {...{ fields, texts, faults }} />;
  return (
    <Layout frame={frame} title={title}>
      <h1>{title}</h1>
      {isLost && <SignInAgain frame={frame} />}
      <FaultNotice faults={faults} />
      {state === null && types.length > 0 && (
        <nav class="tabs" aria-label={t('fields.kind')}>
          {['', ...types.map(({ name }) => name)].map((type) => (
            <a
              key={type}
              href={hrefOf('/dataset/new', [['type', type]])}
              aria-current={type === (texts.type ?? '') ? 'page' : undefined}
            >
              {type || t('fields.plain')}
            </a>
          ))}
        </nav>
      )}
      <Form action={action} token={frame.token} wide>
        <Hidden texts={texts} names={hiddenNames(fields, texts)} />
        {WIDE.map(field)}
        <div class="columns">{names.filter((name) => !WIDE.includes(name) && name !== 'extras').map(field)}</div>
        {field('extras')}
        {/* The submitted button tells the state of a dataset that was not read. */}
        <SaveButtons state={state === '' && texts.state !== undefined ? 'draft' : state} />
      </Form>
    </Layout>
  );
}

/** Buttons by the state that the dataset gets. The first one is also that of the Enter key. */
export function SaveButtons({ state }: { state: string | null }) {
  const { t } = useTexts();
  const isDraft = state === null || state === 'draft';
  return (
    <p class="actions">
      {isDraft ? (
        <>
          <button type="submit" name="state" value="draft" class="quiet">
            {t('edit.saveDraft')}
          </button>
          <button type="submit" name="state" value="active">
            {t('edit.publish')}
          </button>
        </>
      ) : (
        <button type="submit">{t('edit.save')}</button>
      )}
    </p>
  );
}
