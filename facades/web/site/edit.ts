/** Serves the forms of datasets: `/dataset/new`, `/dataset/edit/<name>`, `/dataset/delete/<name>`, `/dataset/restore/<name>`. */
import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { h } from 'preact';
import {
  PageCreateDatasetDocument,
  PageDeleteDatasetDocument,
  PageEditDatasetDocument,
  PageFormChoicesDocument,
  PageNameFromTitleDocument,
  PageNewDatasetDocument,
  PageUpdateDatasetDocument,
} from '../../../src/generated/operations.ts';
import { notAuthorized } from '../../../src/kernel/errors.ts';
import { type Choices, datasetInput, fieldsOf, NO_CHOICES, textsOf } from './dataset-form.ts';
import { DatasetFormPage, SaveButtons } from './dataset-form-page.tsx';
import { DeletePage } from './delete-page.tsx';
import { addEditForm, type EditForm } from './edit-form.ts';
import { versionOf } from './form-texts.ts';
import { orLogin, type SiteOptions, type Visit, visiting } from './visit.ts';

const datasetPath = (name: string): string => `/dataset/${encodeURIComponent(name)}`;
const editPath = (id: string): string => `/dataset/edit/${encodeURIComponent(id)}`;

/** Lists, and the state of the stored dataset; null for a new one. */
type Context = Choices & { readonly state: string | null };

export function editRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visiting(options, (v) => orLogin(v, () => work(v)));
  addEditForm(router, options, NEW_DATASET);
  addEditForm(router, options, EDIT_DATASET);
  router.get('/dataset/delete/:name', visit(showDelete));
  router.post(
    '/dataset/delete/:name',
    visit(async (v) => {
      const input = { dataset: v.req.params.name! };
      await v.run(PageDeleteDatasetDocument, { input }, v.call);
      v.goTo('/dataset');
    }),
  );
  router.post(
    '/dataset/restore/:name',
    visit(async (v) => {
      const input = { dataset: v.req.params.name!, state: 'active' };
      const { dataset } = (await v.run(PageUpdateDatasetDocument, { input }, v.call)).updateDataset;
      v.goTo(datasetPath(dataset!.name));
    }),
  );
  return router;
}

const NEW_DATASET: EditForm<Context> = {
  path: '/dataset/new',
  fields: (choices, _texts, t) => fieldsOf(choices, t, true),
  blank: { ...NO_CHOICES, state: null },
  submitted: async (v) => ({ ...(await publicChoices(v)), state: null }),
  render: ({ context, ...props }) => h(DatasetFormPage, { ...props, state: context.state }),
  async read(v) {
    const { site, ...lists } = await v.run(PageNewDatasetDocument, {}, v.call);
    if (!site.viewerCanCreateDatasets) throw notAuthorized('you may not create datasets.');
    const chosen = String(v.req.query.organization ?? v.req.query.group ?? '');
    const ownerOrganization = chosen || (lists.myOrganizations.length === 1 ? lists.myOrganizations[0]!.name : '');
    const texts = { ownerOrganization, idempotencyKey: randomUUID() };
    return { texts, context: { ...choicesOf(lists), state: null }, action: '/dataset/new' };
  },
  async save(v, _names, fields) {
    let texts = v.form;
    if (!texts.name?.trim() && texts.title?.trim()) {
      const { slug } = await v.run(PageNameFromTitleDocument, { title: texts.title }, v.call);
      texts = { ...texts, name: slug.text };
    }
    const input = {
      ...datasetInput(fields, texts, Object.keys(fields)),
      name: (texts.name ?? '').trim(),
      isDraft: texts.state === 'draft',
      idempotencyKey: texts.idempotencyKey || null,
    };
    const { dataset } = (await v.run(PageCreateDatasetDocument, { input }, v.call)).createDataset;
    return datasetPath(dataset!.name);
  },
};

const EDIT_DATASET: EditForm<Context> = {
  path: '/dataset/edit/:name',
  what: 'dataset',
  fields: (choices, _texts, t) => fieldsOf(choices, t),
  blank: { ...NO_CHOICES, state: '' },
  submitted: async (v) => ({ ...(await publicChoices(v)), state: '' }),
  render: ({ context, ...props }) => h(DatasetFormPage, { ...props, state: context.state }),
  buttons: ({ state }) => h(SaveButtons, { state }),
  async read(v) {
    const { dataset, lists } = await stored(v);
    return {
      texts: textsOf(dataset),
      context: { ...choicesOf(lists), state: dataset.state },
      action: editPath(dataset.databaseId),
      moved: dataset.name === v.req.params.name ? undefined : editPath(dataset.name),
      isDeleted: dataset.state === 'deleted',
    };
  },
  async save(v, names, fields) {
    const { state } = v.form;
    const input = {
      ...datasetInput(fields, v.form, names),
      dataset: v.req.params.name!,
      expectedVersion: versionOf(v.form),
      ...(state === 'active' || state === 'draft' ? { state } : {}),
    };
    const { dataset } = (await v.run(PageUpdateDatasetDocument, { input }, v.call)).updateDataset;
    return datasetPath(dataset!.name);
  },
};

async function stored(v: Visit) {
  const { dataset, ...lists } = await v.run(PageEditDatasetDocument, { id: v.req.params.name! }, v.call);
  if (!dataset.viewerCanUpdate) throw notAuthorized('you may not change this dataset.');
  return { dataset, lists };
}

async function showDelete(v: Visit): Promise<void> {
  const { dataset } = await stored(v);
  const name = encodeURIComponent(dataset.name);
  const text = v.frame.texts.t('edit.deleteDatasetText');
  const props = { frame: v.frame, title: dataset.title, back: `/dataset/${name}`, text };
  v.page(h(DeletePage, { ...props, what: 'dataset', action: `/dataset/delete/${name}` }));
}

interface Lists {
  readonly licenses: Choices['licenses'];
  readonly myOrganizations: Choices['organizations'];
}

const choicesOf = ({ licenses, myOrganizations }: Lists): Choices => ({ licenses, organizations: myOrganizations });

/** Choices for a form whose reader has to sign in again. */
async function publicChoices(v: Visit): Promise<Choices> {
  const { licenses } = await v.run(PageFormChoicesDocument, {}, v.call);
  return { ...NO_CHOICES, licenses };
}
