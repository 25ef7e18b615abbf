/** Pages that add, change and order the resources of a dataset. */
import type { PageDatasetResourcesQuery } from '../../../src/generated/operations.ts';
import type { Texts } from './dataset-form.ts';
import { Hidden, SignInAgain } from './dataset-form-page.tsx';
import { Area, type Faults, Field, FileField, Form, Notice } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';
import { FILES } from './submitted.ts';

export type EditedResources = NonNullable<PageDatasetResourcesQuery['dataset']>;
type Resource = EditedResources['resources'][number];

interface ResourceFormProps {
  readonly frame: Frame;
  readonly action: string;
  readonly texts: Texts;
  readonly faults?: Faults;
  /** Whether the resource is new. */
  readonly isNew: boolean;
  /** Whether the reader must sign in before saving. */
  readonly isLost?: boolean;
  /** Path of the page to return to. */
  readonly back: string;
}

export function ResourceFormPage(props: ResourceFormProps) {
  const { frame, action, texts, faults = {}, isNew, isLost = false, back } = props;
  const title = isNew ? 'Add resources' : 'Edit resource';
  const field = (name: string, label: string) => ({ name, label, value: texts[name], faults });
  const isFile = texts.isFile === 'true';
  return (
    <Layout frame={frame} title={title}>
      <h1>{title}</h1>
      {isLost && <SignInAgain frame={frame} />}
      <Notice text={faults.form} bad />
      <Form action={action} token={frame.token} wide hasFiles>
        <Hidden texts={texts} names={['version', 'idempotencyKey', 'isFile']} />
        {!isFile && <Field {...field('url', 'Link')} hint="URL of data that is kept elsewhere." />}
        <FileField
          name={FILES}
          label={isNew ? 'Files' : 'Another file'}
          faults={faults}
          hint={isNew ? 'Each file becomes a resource, and so does the link.' : 'It replaces the present one.'}
        />
        <Field {...field('name', 'Name')} hint={isNew ? 'Default: the name of the file, or the link.' : ''} />
        <Area {...field('description', 'Description')} rows={4} hint="In Markdown." />
        <Field {...field('format', 'Format')} hint="Such as CSV. Default: recognized by the name." />
        <p class="actions">
          <button type="submit">{isNew ? 'Add' : 'Save'}</button>
          <a href={back}>Cancel</a>
        </p>
      </Form>
    </Layout>
  );
}

/** Path of a page about one resource. */
export const resourceAt = (dataset: string, id: string, page: string): string =>
  `/dataset/${encodeURIComponent(dataset)}/resource/${encodeURIComponent(id)}/${page}`;

export function ResourcesPage({ frame, dataset }: { frame: Frame; dataset: EditedResources }) {
  const path = `/dataset/${encodeURIComponent(dataset.name)}`;
  const { resources } = dataset;
  return (
    <Layout frame={frame} title={`Resources of ${dataset.title}`}>
      <nav aria-label="Breadcrumbs">
        <a href={path}>{dataset.title}</a>
      </nav>
      <h1>Resources</h1>
      {resources.length === 0 && <p>This dataset has no resources yet.</p>}
      <ol class="cards list">
        {resources.map((resource, index) => (
          <Item key={resource.databaseId} {...{ frame, dataset, resource, index }} />
        ))}
      </ol>
      <p class="actions">
        <a class="button" href={`${path}/resource/new`}>
          Add resources
        </a>
        <a href={path}>Back to the dataset</a>
      </p>
    </Layout>
  );
}

interface ItemProps {
  readonly frame: Frame;
  readonly dataset: EditedResources;
  readonly resource: Resource;
  readonly index: number;
}

function Item({ frame, dataset, resource: { databaseId, name, url, format }, index }: ItemProps) {
  const title = name || url || 'Unnamed resource';
  const at = (page: string) => resourceAt(dataset.name, databaseId, page);
  const move = (to: number, label: string) => (
    <Form action={at('move')} token={frame.token}>
      <input type="hidden" name="position" value={to} />
      <input type="hidden" name="version" value={dataset.version} />
      <button type="submit" class="link" aria-label={`Move ${title} ${label}`}>
        Move {label}
      </button>
    </Form>
  );
  return (
    <li class="card">
      <h2>{title}</h2>
      <p class="meta">
        {format && <span class="badge">{format}</span>}
        <a href={at('edit')} aria-label={`Edit ${title}`}>
          Edit
        </a>
        <a href={at('delete')} aria-label={`Delete ${title}`}>
          Delete
        </a>
        {index > 0 && move(index - 1, 'up')}
        {index < dataset.resources.length - 1 && move(index + 1, 'down')}
      </p>
    </li>
  );
}
