/** Page that shows two versions of an object side by side, after another user has saved it too. */
import type { ComponentChildren } from 'preact';
import { OneField } from './fields.tsx';
import { Form, Hidden } from './form.tsx';
import { carriedNames, choiceOf, type Difference, type FormFields, type Texts } from './form-texts.ts';
import { type Frame, Layout } from './layout.tsx';
import { useTexts } from './use-texts.ts';

interface ConflictProps {
  readonly frame: Frame;
  readonly action: string;
  /** Kind of the object. */
  readonly what: string;
  readonly fields: FormFields;
  /** Texts of the form, with the version of the stored object. */
  readonly texts: Texts;
  readonly differences: readonly Difference[];
  readonly isDeleted: boolean;
  readonly hasFiles: boolean;
  /** Default: a button to save. */
  readonly buttons: ComponentChildren;
}

export function ConflictPage(props: ConflictProps) {
  const { frame, action, what, fields, texts, differences, isDeleted, hasFiles, buttons } = props;
  const { t } = useTexts();
  const files = Object.keys(fields).filter((name) => fields[name]!.kind === 'file');
  return (
    <Layout frame={frame} title={t('edit.conflict')}>
      <h1>{t('edit.conflictTitle', { what })}</h1>
      <p class="notice bad" role="alert">
        {differences.length > 0 ? t('edit.conflictChoose') : t('edit.conflictEqual')}
        {hasFiles && ` ${t('edit.conflictFile')}`}
      </p>
      {isDeleted && <p class="notice bad">{t('edit.conflictDeleted')}</p>}
      <Form action={action} token={frame.token} wide hasFiles={hasFiles}>
        <Hidden texts={texts} names={carriedNames(texts)} />
        {differences.map(({ name, mine, theirs, isMine }) => (
          <fieldset key={name}>
            <legend>{fields[name]!.label}</legend>
            <div class="columns">
              {(['mine', 'theirs'] as const).map((side) => (
                <label class="version" key={side}>
                  <span>
                    <input type="radio" name={choiceOf(name)} value={side} checked={(side === 'mine') === isMine} />{' '}
                    {t(`edit.${side}`)}
                  </span>
                  <span class="words">
                    {shown(side === 'mine' ? mine : theirs, fields[name]!.options) || t('edit.empty')}
                  </span>
                </label>
              ))}
            </div>
          </fieldset>
        ))}
        {files.map((name) => (
          <OneField key={name} name={name} fields={fields} texts={texts} faults={{}} />
        ))}
        {buttons ?? (
          <p class="actions">
            <button type="submit">{t('edit.save')}</button>
          </p>
        )}
      </Form>
    </Layout>
  );
}

const shown = (text: string, labels: Readonly<Record<string, string>> = {}): string =>
  Object.hasOwn(labels, text) ? labels[text]! : text;
