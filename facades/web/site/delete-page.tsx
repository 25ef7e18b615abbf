/** Page that asks before something is deleted. */
import { Form, Hidden } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';
import { useTexts } from './use-texts.ts';

interface DeleteProps {
  readonly frame: Frame;
  /** Kind of the object. */
  readonly what: string;
  readonly title: string;
  /** The effects of the deletion. */
  readonly text: string;
  readonly action: string;
  readonly back: string;
  /** Question and button. Default: deletion of one object of the kind. */
  readonly question?: string;
  readonly verb?: string;
  /** Several objects that are deleted. */
  readonly objects?: readonly { readonly name: string; readonly title: string }[];
  /** Texts that the form sends. */
  readonly texts?: Readonly<Record<string, string>>;
}

export function DeletePage({
  frame,
  what,
  title,
  text,
  action,
  back,
  question,
  verb,
  objects = [],
  texts = {},
}: DeleteProps) {
  const { t, dataLang } = useTexts();
  return (
    <Layout frame={frame} title={question ?? t('edit.deleteNamed', { title })}>
      <h1>{question ?? t('edit.deleteTitle', { what })}</h1>
      <p>
        <strong>{title}</strong>
      </p>
      {objects.length > 0 && (
        <ul lang={dataLang}>
          {objects.map(({ name, title: each }) => (
            <li key={name}>{each || name}</li>
          ))}
        </ul>
      )}
      <p>{text}</p>
      <Form action={action} token={frame.token}>
        <Hidden texts={texts} names={Object.keys(texts)} />
        <p class="actions">
          <button type="submit" class="danger">
            {verb ?? t('edit.delete')}
          </button>
          <a href={back}>{t('edit.cancel')}</a>
        </p>
      </Form>
    </Layout>
  );
}
