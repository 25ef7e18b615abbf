/** Fields of resources' forms, and the page that orders the resources of a dataset. */
import type { ComponentChildren } from 'preact';
import type { PageDatasetResourcesQuery } from '../../../src/generated/operations.ts';
import { Form, Notice } from './form.tsx';
import type { FormFields } from './form-texts.ts';
import { isActive, JobFacts } from './job-facts.tsx';
import { type Frame, Layout } from './layout.tsx';
import { FILES } from './submitted.ts';
import type { Texts as Messages } from './texts.ts';
import { useTexts } from './use-texts.ts';

export type EditedResources = NonNullable<PageDatasetResourcesQuery['dataset']>;
type Resource = EditedResources['resources'][number];

/** Fields of the form of a resource. A file has no link. */
export const resourceFields = (t: Messages['t'], { isNew = false, isFile = false }): FormFields => ({
  ...(!isFile && { url: { label: t('edit.link'), hint: t('edit.linkHint') } }),
  [FILES]: isNew
    ? { label: t('edit.files'), kind: 'files', hint: t('edit.filesHint') }
    : { label: t('edit.file'), kind: 'file', hint: t('edit.fileHint') },
  name: { label: t('edit.name'), ...(isNew && { hint: t('edit.resourceNameHint') }) },
  description: { label: t('edit.description'), kind: 'area', rows: 4, hint: t('edit.markdown') },
  format: { label: t('edit.format'), hint: t('edit.formatHint') },
});

/** Path of a page about one resource. */
export const resourceAt = (dataset: string, id: string, page = ''): string =>
  `/dataset/${encodeURIComponent(dataset)}/resource/${encodeURIComponent(id)}${page && `/${page}`}`;

interface LoadingProps {
  readonly frame: Frame;
  /** Name of the dataset. */
  readonly dataset: string;
  readonly resource: Resource;
  /** Why the load was refused. */
  readonly fault?: ComponentChildren;
}

/** Latest load of the file of a resource into its table, with a button to load it again. */
function Loading({ frame, dataset, resource: { databaseId, name, url, loading }, fault }: LoadingProps) {
  const { t } = useTexts();
  return (
    <>
      {loading && <JobFacts job={loading} />}
      <Notice text={fault} bad />
      {loading && !isActive(loading) && (
        <Form action={resourceAt(dataset, databaseId, 'load')} token={frame.token}>
          <button type="submit" class="link" aria-label={t('jobs.loadNamed', { title: name || url })}>
            {t('jobs.load')}
          </button>
        </Form>
      )}
    </>
  );
}

/** The same on the page of the resource's form. */
export function TableState(props: LoadingProps) {
  const { t } = useTexts();
  const { loading } = props.resource;
  if (!loading) return null;
  return (
    <section id="table">
      <h2>{t('jobs.table')}</h2>
      <Loading {...props} />
      {!isActive(loading) && <p class="hint">{t('jobs.loadText')}</p>}
    </section>
  );
}

interface ResourcesProps {
  readonly frame: Frame;
  readonly dataset: EditedResources;
  readonly notice: string | undefined;
  /** A refused load of a resource. */
  readonly fault?: { readonly id: string; readonly text: ComponentChildren };
}

export function ResourcesPage({ frame, dataset, notice, fault }: ResourcesProps) {
  const path = `/dataset/${encodeURIComponent(dataset.name)}`;
  const { resources } = dataset;
  const { t } = useTexts();
  return (
    <Layout frame={frame} title={t('edit.resourcesOf', { title: dataset.title })}>
      <nav aria-label={t('common.breadcrumbs')}>
        <a href={path}>{dataset.title}</a>
      </nav>
      <h1>{t('edit.resources')}</h1>
      <Notice text={notice} />
      {resources.length === 0 && <p>{t('edit.noResources')}</p>}
      <ol class="cards list">
        {resources.map((resource, index) => (
          <Item
            key={resource.databaseId}
            {...{ frame, dataset, resource, index }}
            fault={fault?.id === resource.databaseId ? fault.text : undefined}
          />
        ))}
      </ol>
      <p class="actions">
        <a class="button" href={`${path}/resource/new`}>
          {t('edit.addResources')}
        </a>
        <a href={path}>{t('edit.backToDataset')}</a>
      </p>
    </Layout>
  );
}

interface ItemProps {
  readonly frame: Frame;
  readonly dataset: EditedResources;
  readonly resource: Resource;
  readonly index: number;
  readonly fault: ComponentChildren;
}

function Item({ frame, dataset, resource, index, fault }: ItemProps) {
  const { t } = useTexts();
  const { databaseId, name, url, format } = resource;
  const title = name || url || t('edit.unnamed');
  const at = (page: string) => resourceAt(dataset.name, databaseId, page);
  const move = (to: number, way: 'Up' | 'Down') => (
    <Form action={at('move')} token={frame.token}>
      <input type="hidden" name="position" value={to} />
      <input type="hidden" name="version" value={dataset.version} />
      <button type="submit" class="link" aria-label={t(`edit.move${way}Named`, { title })}>
        {t(`edit.move${way}`)}
      </button>
    </Form>
  );
  return (
    <li class="card">
      <h2>{title}</h2>
      <div class="meta">
        {format && <span class="badge">{format}</span>}
        <a href={at('edit')} aria-label={t('edit.editNamed', { title })}>
          {t('edit.edit')}
        </a>
        <a href={at('delete')} aria-label={t('edit.deleteNamed', { title })}>
          {t('edit.delete')}
        </a>
        {index > 0 && move(index - 1, 'Up')}
        {index < dataset.resources.length - 1 && move(index + 1, 'Down')}
      </div>
      <Loading {...{ frame, resource, fault }} dataset={dataset.name} />
    </li>
  );
}
