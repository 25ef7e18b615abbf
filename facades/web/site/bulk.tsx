/** Serves `/organization/bulk_process/<name>`: changes many datasets of an organization at once. */
import { Router } from 'express';
import type { ComponentChildren } from 'preact';
import {
  type DatasetsChange,
  PageBulkDocument,
  type PageBulkQuery,
  PageChangeDatasetsDocument,
} from '../../../src/generated/operations.ts';
import { CatalogError, notAuthorized } from '../../../src/kernel/errors.ts';
import { Day, State } from './cards.tsx';
import { DeletePage } from './delete-page.tsx';
import { Form, inEnglish, Notice } from './form.tsx';
import type { Frame } from './frame.ts';
import { Layout } from './layout.tsx';
import { type KeysetPage, NextPage, positionOf } from './pagination.tsx';
import { first as firstOf, hrefOf } from './search-query.ts';
import { useTexts } from './use-texts.ts';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const PER_PAGE = 100;
const CHANGES = {
  MAKE_PUBLIC: 'manage.makePublic',
  MAKE_PRIVATE: 'manage.makePrivate',
  DELETE: 'edit.delete',
} as const satisfies Record<DatasetsChange, string>;
/** Begin of the names of the checkboxes, which end with the id of a dataset. */
const CHOSEN = 'dataset-';

const pathOf = (name: string): string => `/organization/bulk_process/${encodeURIComponent(name)}`;

/** URL of a page of the list. `changed`: the number of datasets that were just changed. */
const pageOf = (name: string, after: string, changed = ''): string =>
  hrefOf(pathOf(name), [
    ['after', after],
    ['changed', changed],
  ]);

type Datasets = NonNullable<PageBulkQuery['datasets']>['nodes'];

export function bulkRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const path = '/organization/bulk_process/:name';
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
  const read = async (v: Visit) => {
    const after = firstOf(v.req.query.after) || firstOf(v.form.after);
    const variables = { id: v.req.params.name!, first: Math.min(PER_PAGE, options.rows), after: after || null };
    const { organization, datasets } = await v.run(PageBulkDocument, variables, v.call);
    if (!organization.viewerCanUpdate) throw notAuthorized('you may not change this organization');
    return { organization, datasets, after };
  };
  const show = async (v: Visit, fault?: ComponentChildren, status = 200): Promise<void> => {
    const { organization, datasets, after } = await read(v);
    const changed = /^\d{1,4}$/.exec(firstOf(v.req.query.changed))?.[0];
    // The last page may be empty after a deletion.
    if (after && datasets.nodes.length === 0 && !fault) return v.goTo(pageOf(organization.name, '', changed));
    const page = positionOf(pathOf(organization.name), { after }, datasets.pageInfo);
    v.page(<BulkPage {...{ frame: v.frame, organization, datasets, page, after, fault, changed }} />, status);
  };
  router.get(
    path,
    visit((v) => show(v)),
  );
  router.post(
    path,
    visit(async (v) => {
      const change = (Object.keys(CHANGES) as DatasetsChange[]).find((it) => it === v.form.change);
      const datasetIds = Object.keys(v.form)
        .filter((name) => name.startsWith(CHOSEN))
        .map((name) => name.slice(CHOSEN.length));
      if (!change || datasetIds.length === 0) return show(v, v.frame.texts.t('manage.chooseDatasets'), 422);
      if (change === 'DELETE' && v.form.confirmed !== 'true') {
        const { datasets, after } = await read(v);
        const chosen = datasets.nodes.filter(({ databaseId }) => datasetIds.includes(databaseId));
        if (chosen.length === 0) return show(v, v.frame.texts.t('manage.chooseDatasets'), 422);
        return v.page(confirmation(v, chosen, after));
      }
      const input = { organization: v.req.params.name!, datasetIds, change };
      try {
        const { changedIds } = (await v.run(PageChangeDatasetsDocument, { input }, v.call)).changeDatasets;
        v.goTo(pageOf(v.req.params.name!, firstOf(v.form.after), String(changedIds?.length ?? 0)));
      } catch (thrown) {
        if (!(thrown instanceof CatalogError) || thrown.kind !== 'VALIDATION') throw thrown;
        return show(v, inEnglish(thrown.message), 422);
      }
    }),
  );
  return router;
}

function confirmation({ frame, req }: Visit, chosen: Datasets, after: string) {
  const path = pathOf(req.params.name!);
  const ids = Object.fromEntries(chosen.map(({ databaseId }) => [CHOSEN + databaseId, 'on']));
  const { t } = frame.texts;
  const text = t('manage.deleteManyText');
  const props = {
    frame,
    what: 'selection',
    title: t('count.dataset', { count: chosen.length }),
    text,
    objects: chosen,
    texts: { change: 'DELETE', confirmed: 'true', after, ...ids },
    action: path,
  };
  return <DeletePage {...props} back={pageOf(req.params.name!, after)} />;
}

interface BulkProps {
  readonly frame: Frame;
  readonly organization: NonNullable<PageBulkQuery['organization']>;
  readonly datasets: NonNullable<PageBulkQuery['datasets']>;
  readonly page: KeysetPage;
  readonly after: string;
  readonly fault: ComponentChildren;
  /** Number of datasets that were just changed. */
  readonly changed: string | undefined;
}

function BulkPage({ frame, organization, datasets, page, after, fault, changed }: BulkProps) {
  const path = pathOf(organization.name);
  const { t, rich, dataLang } = useTexts();
  const title = t('manage.changeDatasetsOf', { group: organization.displayName });
  return (
    <Layout frame={frame} title={title}>
      <nav aria-label={t('common.breadcrumbs')} class="trail">
        <a href={`/organization/${encodeURIComponent(organization.name)}`}>{organization.displayName}</a>
      </nav>
      <h1>{title}</h1>
      <Notice text={fault} bad />
      <Notice text={changed && t('manage.changedDatasets', { count: Number(changed) })} />
      <p class="count">{t('count.dataset', { count: datasets.totalCount })}</p>
      {datasets.nodes.length > 0 && (
        <Form action={path} token={frame.token}>
          <input type="hidden" name="after" value={after} />
          <ul class="plain checks">
            {datasets.nodes.map(({ databaseId, name, title: label, state, modifiedAt, ...dataset }) => (
              <li key={databaseId}>
                <input type="checkbox" name={CHOSEN + databaseId} id={`check-${databaseId}`} />
                <span>
                  <label for={`check-${databaseId}`} lang={dataLang}>
                    {label}
                  </label>{' '}
                  {dataset.private && <span class="badge">{t('state.private')}</span>}{' '}
                  {state !== 'active' && <State state={state} />}{' '}
                  <span class="hint">
                    {rich('common.updated', { day: <Day instant={modifiedAt} /> })}{' '}
                    <a
                      href={`/dataset/${encodeURIComponent(name)}`}
                      aria-label={t('manage.openNamed', { title: label })}
                    >
                      {t('manage.open')}
                    </a>
                  </span>
                </span>
              </li>
            ))}
          </ul>
          <p class="actions">
            {Object.entries(CHANGES).map(([change, label]) => (
              <button
                key={change}
                type="submit"
                name="change"
                value={change}
                class={change === 'DELETE' ? 'danger' : 'quiet'}
              >
                {t(label)}
              </button>
            ))}
          </p>
        </Form>
      )}
      <NextPage href={page.next} />
    </Layout>
  );
}
