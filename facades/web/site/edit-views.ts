/** Serves the forms of views: the list of a resource's views, add, change, delete, and order them. */
import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { h } from 'preact';
import {
  PageDeleteViewDocument,
  PageReorderViewsDocument,
  PageSaveViewDocument,
  PageUpdateViewDocument,
  PageViewsDocument,
  PageViewTypesDocument,
} from '../../../src/generated/operations.ts';
import { notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { DeletePage } from './delete-page.tsx';
import { addEditForm, type EditForm } from './edit-form.ts';
import { versionOf } from './form-texts.ts';
import { addLinkChecks } from './link-mark.tsx';
import { ObjectFormPage } from './object-form-page.tsx';
import { savedQuery } from './preview/saved.ts';
import { resourcePath } from './resource-calls.ts';
import { first } from './search-query.ts';
import { ownTexts, type ViewChoices, viewFields, viewInput } from './view-form.ts';
import { type EditedView, ViewsPage, type ViewsResource } from './views-page.tsx';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const AT = '/dataset/:name/resource/:resource';

type Context = ViewChoices & { readonly back: string; readonly hasQuery: boolean };
const BLANK: Context = { types: [], columns: [], back: '/dataset', hasQuery: false };

export function editViewsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
  addLinkChecks(router, visit);
  router.get(`${AT}/views`, visit(showViews));
  router.post(`${AT}/views/:view/move`, visit(move));
  addEditForm(router, options, NEW_VIEW);
  addEditForm(router, options, EDIT_VIEW);
  router.get(`${AT}/delete_view/:view`, visit(showDelete));
  router.post(
    `${AT}/delete_view/:view`,
    visit(async (v) => {
      await v.run(PageDeleteViewDocument, { input: { viewId: v.req.params.view! } }, v.call);
      v.goTo(`${resourcePath(v.req.params.name!, v.req.params.resource!)}/views`);
    }),
  );
  return router;
}

async function edited(v: Visit) {
  const { resource, resourceViewTypes } = await v.run(PageViewsDocument, { id: v.req.params.resource! }, v.call);
  const { dataset, databaseId } = resource;
  if (!dataset) throw notFound('no such resource.');
  if (!dataset.viewerCanUpdate) throw notAuthorized('you may not change this dataset');
  const path = resourcePath(dataset.name, databaseId);
  const columns = (resource.table?.fields ?? []).map(({ id }) => id).filter((id) => id !== '_id');
  const isHere = dataset.name === v.req.params.name;
  return { resource, dataset, path, isHere, types: resourceViewTypes, columns };
}

function viewIn({ views }: ViewsResource, id: string): EditedView {
  const found = views.find(({ databaseId }) => databaseId === id);
  if (!found) throw notFound('no such view.');
  return found;
}

async function showViews(v: Visit): Promise<void> {
  const { resource, dataset, path, isHere } = await edited(v);
  if (!isHere) return v.goTo(`${path}/views`);
  v.page(h(ViewsPage, { frame: v.frame, resource, dataset }));
}

const form = {
  what: 'view',
  fields: viewFields,
  blank: BLANK,
  submitted: async (v: Visit): Promise<Context> => ({
    ...BLANK,
    types: (await v.run(PageViewTypesDocument, {}, v.call)).resourceViewTypes,
    back: `${resourcePath(v.req.params.name!, v.req.params.resource!)}/views`,
  }),
};

const NEW_VIEW: EditForm<Context> = {
  ...form,
  path: `${AT}/new_view`,
  render: ({ context, ...props }) => {
    const { t } = props.frame.texts;
    const type = t('views.type', { type: props.texts.viewType ?? '' });
    return h(ObjectFormPage, {
      ...props,
      title: `${t('views.new')}: ${type}`,
      back: context.back,
      submit: t('edit.add'),
    });
  },
  async read(v) {
    const { path, isHere, types, columns } = await edited(v);
    const viewType = first(v.req.query.view_type) ?? '';
    const type = types.find(({ name }) => name === viewType);
    if (!type) throw notFound('no such kind of view.');
    const query = `?view_type=${encodeURIComponent(viewType)}`;
    return {
      texts: { viewType, title: v.frame.texts.t('views.type', { type: viewType }), idempotencyKey: randomUUID() },
      context: { types, columns, back: `${path}/views`, hasQuery: false },
      moved: isHere ? undefined : `${path}/new_view${query}`,
    };
  },
  async save(v) {
    const { resource, path, types, columns } = await edited(v);
    const names = Object.keys(viewFields({ types, columns }, v.form, v.frame.texts.t));
    const { title, description, fields } = viewInput({ types, columns }, v.form, names, null);
    const input = {
      ...{ resourceId: resource.databaseId, viewType: v.form.viewType ?? '', title: String(title ?? '') },
      ...{ description: (description as string | null) ?? null, fields, config: null },
      idempotencyKey: v.form.idempotencyKey || null,
    };
    const { view } = (await v.run(PageSaveViewDocument, { input }, v.call)).createResourceView;
    return `${path}/view/${encodeURIComponent(view!.databaseId)}`;
  },
};

const EDIT_VIEW: EditForm<Context> = {
  ...form,
  path: `${AT}/edit_view/:view`,
  render: ({ context, ...props }) => {
    const { t } = props.frame.texts;
    const children = context.hasQuery ? h('p', { class: 'hint' }, t('views.saved')) : undefined;
    return h(ObjectFormPage, { ...props, title: t('views.edit'), back: context.back, children });
  },
  async read(v) {
    const { resource, path, isHere, types, columns } = await edited(v);
    const view = viewIn(resource, v.req.params.view!);
    const { title, description, version, viewType, fields } = view;
    return {
      texts: { ...ownTexts(fields), title, description: description ?? '', version: String(version), viewType },
      context: { types, columns, back: `${path}/views`, hasQuery: Object.keys(savedQuery(view)).length > 0 },
      moved: isHere ? undefined : `${path}/edit_view/${encodeURIComponent(view.databaseId)}`,
    };
  },
  async save(v, names) {
    const { resource, path, types, columns } = await edited(v);
    const { databaseId: viewId, fields, viewType } = viewIn(resource, v.req.params.view!);
    const changes = viewInput({ types, columns }, { ...v.form, viewType }, names, fields);
    const input = { ...changes, viewId, expectedVersion: versionOf(v.form) };
    await v.run(PageUpdateViewDocument, { input }, v.call);
    return `${path}/view/${encodeURIComponent(viewId)}`;
  },
};

async function showDelete(v: Visit): Promise<void> {
  const { resource, path } = await edited(v);
  const { t } = v.frame.texts;
  const { databaseId, title, viewType } = viewIn(resource, v.req.params.view!);
  const action = `${path}/delete_view/${encodeURIComponent(databaseId)}`;
  const named = title || t('views.type', { type: viewType });
  const props = { frame: v.frame, what: 'view', title: named, text: t('views.deleteText'), action };
  v.page(h(DeletePage, { ...props, back: `${path}/views` }));
}

async function move(v: Visit): Promise<void> {
  const { resource, path } = await edited(v);
  const { databaseId: id } = viewIn(resource, v.req.params.view!);
  const order = resource.views.map(({ databaseId }) => databaseId).filter((other) => other !== id);
  order.splice(Number(v.form.position) || 0, 0, id);
  await v.run(PageReorderViewsDocument, { input: { resourceId: resource.databaseId, order } }, v.call);
  v.goTo(`${path}/views`);
}
