/** Serves the works made from the data: lists, and the forms of those of a dataset. */
import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { h } from 'preact';
import {
  PageCreateRelatedDocument,
  PageDeleteRelatedDocument,
  PageEditRelatedDocument,
  PageNewRelatedDocument,
  PageRelatedDocument,
  PageRelatedOfDatasetDocument,
  PageUpdateRelatedDocument,
} from '../../../src/generated/operations.ts';
import { notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { DeletePage } from './delete-page.tsx';
import { addEditForm, type EditForm } from './edit-form.ts';
import { type FormFields, inputOf, versionOf } from './form-texts.ts';
import { ObjectFormPage } from './object-form-page.tsx';
import { positionOf } from './pagination.tsx';
import { DatasetRelatedPage, RelatedPage, relatedPath, typesOfRelated } from './related-page.tsx';
import { first } from './search-query.ts';
import type { Texts as Messages } from './texts.ts';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const PER_PAGE = 20;
const AT = '/dataset/:name/related';

const fieldsOf = (t: Messages['t']): FormFields => ({
  title: { label: t('edit.title'), required: true },
  type: { label: t('related.kind'), kind: 'choice', options: typesOfRelated(t) },
  url: { label: t('related.url'), hint: t('related.urlHint') },
  imageUrl: { label: t('related.image'), hint: t('related.imageHint') },
  description: { label: t('edit.description'), kind: 'area', rows: 4 },
});

export function relatedRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
  const partOf = (v: Visit) => ({
    first: Math.min(PER_PAGE, options.rows),
    after: first(v.req.query.after) || null,
  });
  router.get(
    '/related',
    visit(async (v) => {
      const type = first(v.req.query.type) || '';
      const { relatedItems } = await v.run(PageRelatedDocument, { type: type || null, ...partOf(v) }, v.call);
      const page = positionOf('/related', { type, after: first(v.req.query.after) }, relatedItems.pageInfo);
      v.page(h(RelatedPage, { frame: v.frame, items: relatedItems, page, type }));
    }),
  );
  router.get(
    AT,
    visit(async (v) => {
      const id = v.req.params.name!;
      const { dataset, relatedItems } = await v.run(PageRelatedOfDatasetDocument, { id, ...partOf(v) }, v.call);
      const path = relatedPath(dataset.name);
      if (dataset.name !== id) return v.goTo(path);
      const page = positionOf(path, { after: first(v.req.query.after) }, relatedItems.pageInfo);
      v.page(h(DatasetRelatedPage, { frame: v.frame, dataset, items: relatedItems, page }));
    }),
  );
  addEditForm(router, options, NEW);
  addEditForm(router, options, EDIT);
  router.get(`${AT}/delete/:id`, visit(showDelete));
  router.post(
    `${AT}/delete/:id`,
    visit(async (v) => {
      await v.run(PageDeleteRelatedDocument, { input: { id: v.req.params.id! } }, v.call);
      v.goTo(relatedPath(v.req.params.name!));
    }),
  );
  return router;
}

const NEW: EditForm<string> = {
  path: `${AT}/new`,
  fields: (_back, _texts, t) => fieldsOf(t),
  blank: '/related',
  render: ({ context: back, ...props }) => {
    const { t } = props.frame.texts;
    return h(ObjectFormPage, { ...props, title: t('related.new'), submit: t('edit.add'), back });
  },
  async read(v) {
    const id = v.req.params.name!;
    const { dataset } = await v.run(PageNewRelatedDocument, { id }, v.call);
    const texts = { type: 'application', idempotencyKey: randomUUID() };
    const moved = dataset.name === id ? undefined : relatedPath(dataset.name, 'new');
    return { texts, context: relatedPath(dataset.name), moved };
  },
  async save(v, _names, fields) {
    const { title, type, ...others } = inputOf(fields, v.form, Object.keys(fields), ['title', 'type']);
    const input = {
      ...others,
      title: String(title),
      type: String(type),
      datasetId: v.req.params.name!,
      idempotencyKey: v.form.idempotencyKey || null,
    };
    await v.run(PageCreateRelatedDocument, { input }, v.call);
    return relatedPath(v.req.params.name!);
  },
};

async function stored(v: Visit) {
  const { relatedItem } = await v.run(PageEditRelatedDocument, { id: v.req.params.id! }, v.call);
  const { dataset } = relatedItem;
  if (!dataset) throw notFound('no such related item.');
  return { item: relatedItem, dataset, isHere: dataset.name === v.req.params.name };
}

const EDIT: EditForm<string> = {
  path: `${AT}/edit/:id`,
  what: 'related',
  fields: (_back, _texts, t) => fieldsOf(t),
  blank: '/related',
  render: ({ context: back, ...props }) =>
    h(ObjectFormPage, { ...props, title: props.frame.texts.t('related.edit'), back }),
  async read(v) {
    const { item, dataset, isHere } = await stored(v);
    if (!item.viewerCanUpdate) throw notAuthorized('you may not change this item');
    const { title, type, url, imageUrl, description, version, databaseId } = item;
    return {
      texts: {
        ...{ title, type, url: url ?? '', imageUrl: imageUrl ?? '', description: description ?? '' },
        version: String(version),
      },
      context: relatedPath(dataset.name),
      moved: isHere ? undefined : relatedPath(dataset.name, 'edit', databaseId),
    };
  },
  async save(v, names, fields) {
    const changes = inputOf(fields, v.form, names, ['title', 'type']);
    const input = { ...changes, id: v.req.params.id!, expectedVersion: versionOf(v.form) };
    await v.run(PageUpdateRelatedDocument, { input }, v.call);
    return relatedPath(v.req.params.name!);
  },
};

async function showDelete(v: Visit): Promise<void> {
  const { item, dataset } = await stored(v);
  if (!item.viewerCanDelete) throw notAuthorized('you may not delete this item');
  const action = relatedPath(dataset.name, 'delete', item.databaseId);
  const text = v.frame.texts.t('related.deleteText');
  const props = { frame: v.frame, what: 'related', title: item.title, text, action };
  v.page(h(DeletePage, { ...props, back: relatedPath(dataset.name) }));
}
