/** Page with the views of a resource: edit, delete and order them, and add others. */
import type { PageViewsQuery } from '../../../src/generated/operations.ts';
import { Form } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';
import { resourcePath } from './resource-calls.ts';
import { useTexts } from './use-texts.ts';

export type ViewsResource = NonNullable<PageViewsQuery['resource']>;
export type EditedView = ViewsResource['views'][number];

interface ViewsProps {
  readonly frame: Frame;
  readonly resource: ViewsResource;
  readonly dataset: NonNullable<ViewsResource['dataset']>;
}

export function ViewsPage({ frame, resource, dataset }: ViewsProps) {
  const { t } = useTexts();
  const path = resourcePath(dataset.name, resource.databaseId);
  const title = resource.name || resource.url || t('dataset.unnamed');
  const { views, viewTypes: types } = resource;
  return (
    <Layout frame={frame} title={t('views.title', { title })}>
      <nav aria-label={t('common.breadcrumbs')}>
        <a href={path}>{title}</a>
      </nav>
      <h1>{t('views.heading')}</h1>
      {views.length === 0 && <p>{t('views.none')}</p>}
      <ol class="cards list">
        {views.map((view, index) => (
          <Item key={view.databaseId} {...{ frame, path, view, index, count: views.length }} />
        ))}
      </ol>
      {types.length > 0 && (
        <>
          <h2>{t('views.add')}</h2>
          <ul class="pills">
            {types.map(({ name }) => (
              <li key={name}>
                <a
                  href={`${path}/new_view?view_type=${encodeURIComponent(name)}`}
                  aria-label={t('views.addNamed', { type: t('views.type', { type: name }) })}
                >
                  {t('views.type', { type: name })}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Layout>
  );
}

interface ItemProps {
  readonly frame: Frame;
  /** Path of the resource. */
  readonly path: string;
  readonly view: EditedView;
  readonly index: number;
  readonly count: number;
}

function Item({ frame, path, view, index, count }: ItemProps) {
  const { t, dataLang } = useTexts();
  const { databaseId, viewType } = view;
  const id = encodeURIComponent(databaseId);
  const type = t('views.type', { type: viewType });
  const title = view.title || type;
  const move = (to: number, way: 'Up' | 'Down') => (
    <Form action={`${path}/views/${id}/move`} token={frame.token}>
      <input type="hidden" name="position" value={to} />
      <button type="submit" class="link" aria-label={t(`edit.move${way}Named`, { title })}>
        {t(`edit.move${way}`)}
      </button>
    </Form>
  );
  return (
    <li class="card">
      <h2>
        <a href={`${path}/view/${id}`} lang={view.title ? dataLang : undefined}>
          {title}
        </a>
      </h2>
      <p class="meta">
        <span class="badge">{type}</span>
        <a href={`${path}/edit_view/${id}`} aria-label={t('edit.editNamed', { title })}>
          {t('edit.edit')}
        </a>
        <a href={`${path}/delete_view/${id}`} aria-label={t('edit.deleteNamed', { title })}>
          {t('edit.delete')}
        </a>
        {index > 0 && move(index - 1, 'Up')}
        {index < count - 1 && move(index + 1, 'Down')}
      </p>
    </li>
  );
}
