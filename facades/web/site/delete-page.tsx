/** Page that asks before something is deleted. */
import { Form } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';

interface DeleteProps {
  readonly frame: Frame;
  readonly what: 'dataset' | 'resource';
  readonly title: string;
  /** The effects of the deletion. */
  readonly text: string;
  readonly action: string;
  readonly back: string;
}

export const DeletePage = ({ frame, what, title, text, action, back }: DeleteProps) => (
  <Layout frame={frame} title={`Delete ${title}`}>
    <h1>Delete this {what}?</h1>
    <p>
      <strong>{title}</strong>
    </p>
    <p>{text}</p>
    <Form action={action} token={frame.token}>
      <p class="actions">
        <button type="submit" class="danger">
          Delete
        </button>
        <a href={back}>Cancel</a>
      </p>
    </Form>
  </Layout>
);
