/** Page with the form of an object whose fields stand one below the other. */
import type { ComponentChildren } from 'preact';
import type { FormPageProps } from './edit-form.ts';
import { Fields } from './fields.tsx';
import { FaultNotice, Form, Hidden, SignInAgain } from './form.tsx';
import { hiddenNames } from './form-texts.ts';
import { Layout } from './layout.tsx';
import { useTexts } from './use-texts.ts';

interface ObjectFormProps extends Omit<FormPageProps<unknown>, 'context'> {
  readonly title: string;
  /** Path of the page to return to. */
  readonly back: string;
  /** Label of the button. Default: Save. */
  readonly submit?: string;
  readonly hasFiles?: boolean;
  /** Above the form. */
  readonly children?: ComponentChildren;
  /** Default: all fields, one below the other. */
  readonly content?: ComponentChildren;
}

export function ObjectFormPage(props: ObjectFormProps) {
  const { t } = useTexts();
  const { frame, action, fields, texts, faults, isLost, title, back, submit, hasFiles = false } = props;
  return (
    <Layout frame={frame} title={title}>
      <h1>{title}</h1>
      {isLost && <SignInAgain frame={frame} />}
      <FaultNotice faults={faults} />
      {props.children}
      <Form action={action} token={frame.token} wide hasFiles={hasFiles}>
        <Hidden texts={texts} names={hiddenNames(fields, texts)} />
        {props.content ?? <Fields fields={fields} texts={texts} faults={faults} />}
        <p class="actions">
          <button type="submit">{submit ?? t('edit.save')}</button>
          <a href={back}>{t('edit.cancel')}</a>
        </p>
      </Form>
    </Layout>
  );
}
