/** Links of a dataset's page for people who may change it. */
import { Form } from './form.tsx';
import type { Frame } from './frame.ts';

export function EditLinks({ frame, dataset }: { frame: Frame; dataset: { name: string; state: string } }) {
  const name = encodeURIComponent(dataset.name);
  return (
    <div class="actions">
      <a class="button" href={`/dataset/edit/${name}`}>
        Edit
      </a>
      <a href={`/dataset/${name}/resource/new`}>Add resources</a>
      <a href={`/dataset/resources/${name}`}>Manage resources</a>
      {dataset.state === 'deleted' ? (
        <Form action={`/dataset/restore/${name}`} token={frame.token}>
          <button type="submit">Restore</button>
        </Form>
      ) : (
        <a href={`/dataset/delete/${name}`}>Delete</a>
      )}
    </div>
  );
}
