/** Serves the forms of datasets: `/dataset/new`, `/dataset/edit/<name>`, `/dataset/delete/<name>`, `/dataset/restore/<name>`. */
import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { h } from 'preact';
import {
  PageCreateDatasetDocument,
  PageDeleteDatasetDocument,
  PageEditDatasetDocument,
  PageFormChoicesDocument,
  type PageFormChoicesQuery,
  PageNameFromTitleDocument,
  PageNewDatasetDocument,
  PageUpdateDatasetDocument,
} from '../../../src/generated/operations.ts';
import { notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { atTagFields, type Choices, datasetInput, fieldsOf, isTags, NO_CHOICES, textsOf } from './dataset-form.ts';
import { DatasetFormPage, SaveButtons } from './dataset-form-page.tsx';
import { DeletePage } from './delete-page.tsx';
import { addEditForm, type EditForm } from './edit-form.ts';
import { type FormFields, type Texts, versionOf } from './form-texts.ts';
import { first } from './search-query.ts';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const datasetPath = (name: string): string => `/dataset/${encodeURIComponent(name)}`;
const editPath = (id: string): string => `/dataset/edit/${encodeURIComponent(id)}`;

/** Vocabularies of a form, and tags of each to choose from. */
const listed = ({ rows }: Visit) => ({ vocabularies: Math.min(20, rows), tags: Math.min(100, rows) });

/** Lists, and the state of the stored dataset; null for a new one. */
type Context = Choices & { readonly state: string | null };

export function editRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
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
  fields: (choices, texts, t) => fieldsOf(choices, texts, t, true),
  blank: { ...NO_CHOICES, state: null },
  submitted: async (v) => ({ ...(await publicChoices(v)), state: null }),
  render: ({ context, ...props }) => h(DatasetFormPage, { ...props, state: context.state, types: context.types }),
  async read(v) {
    const lists = await v.run(PageNewDatasetDocument, listed(v), v.call);
    if (!lists.site.viewerCanCreateDatasets) throw notAuthorized('you may not create datasets');
    const chosen = String(v.req.query.organization ?? v.req.query.group ?? '');
    const ownerOrganization = chosen || (lists.myOrganizations.length === 1 ? lists.myOrganizations[0]!.name : '');
    const type = first(v.req.query.type) ?? '';
    const texts = { ownerOrganization, idempotencyKey: randomUUID(), type };
    if (type && !lists.site.datasetTypes.some(({ name }) => name === type)) throw notFound('no such type of datasets.');
    const action = type ? `/dataset/new?type=${encodeURIComponent(type)}` : '/dataset/new';
    return { texts, context: { ...choicesOf(lists), state: null }, action };
  },
  async save(v, _names, fields, choices) {
    let texts = v.form;
    if (!texts.name?.trim() && texts.title?.trim()) {
      const { slug } = await v.run(PageNameFromTitleDocument, { title: texts.title }, v.call);
      texts = { ...texts, name: slug.text };
    }
    const input = {
      ...datasetInput(fields, texts, Object.keys(fields), choices),
      type: texts.type || null,
      name: (texts.name ?? '').trim(),
      isDraft: texts.state === 'draft',
      idempotencyKey: texts.idempotencyKey || null,
    };
    const { dataset } = (await atFields(v.run(PageCreateDatasetDocument, { input }, v.call), fields, texts))
      .createDataset;
    return datasetPath(dataset!.name);
  },
};

const EDIT_DATASET: EditForm<Context> = {
  path: '/dataset/edit/:name',
  what: 'dataset',
  fields: (choices, texts, t) => fieldsOf(choices, texts, t),
  blank: { ...NO_CHOICES, state: '' },
  submitted: async (v) => ({ ...(await publicChoices(v)), state: '' }),
  render: ({ context, ...props }) => h(DatasetFormPage, { ...props, state: context.state, types: context.types }),
  buttons: ({ state }) => h(SaveButtons, { state }),
  async read(v) {
    const { dataset, lists } = await stored(v);
    return {
      texts: textsOf(dataset, choicesOf(lists)),
      context: { ...choicesOf(lists), state: dataset.state },
      action: editPath(dataset.databaseId),
      moved: dataset.name === v.req.params.name ? undefined : editPath(dataset.name),
      isDeleted: dataset.state === 'deleted',
    };
  },
  async save(v, names, fields, choices) {
    const { state } = v.form;
    const texts = names.some(isTags) ? await withStoredTags(v, names, fields) : v.form;
    const input = {
      ...datasetInput(fields, texts, names, choices),
      dataset: v.req.params.name!,
      expectedVersion: versionOf(v.form),
      ...(state === 'active' || state === 'draft' ? { state } : {}),
    };
    const { dataset } = (await atFields(v.run(PageUpdateDatasetDocument, { input }, v.call), fields, texts))
      .updateDataset;
    return datasetPath(dataset!.name);
  },
};

/** Tags are written as a whole: those that the editor has not changed are the stored ones. */
async function withStoredTags(v: Visit, names: readonly string[], fields: FormFields): Promise<Texts> {
  const { dataset, lists } = await stored(v);
  const there = textsOf(dataset, choicesOf(lists));
  const unchanged = Object.keys(fields).filter((name) => isTags(name) && !names.includes(name));
  const unchangedTexts = [...unchanged, 'vocabularyTags'].map((name) => [name, there[name] ?? '']);
  return { ...v.form, ...Object.fromEntries(unchangedTexts) };
}

async function stored(v: Visit) {
  const { dataset, ...lists } = await v.run(PageEditDatasetDocument, { id: v.req.params.name!, ...listed(v) }, v.call);
  if (!dataset.viewerCanUpdate) throw notAuthorized('you may not change this dataset');
  return { dataset, lists };
}

async function showDelete(v: Visit): Promise<void> {
  const { dataset } = await stored(v);
  const name = encodeURIComponent(dataset.name);
  const text = v.frame.texts.t('edit.deleteDatasetText');
  const props = { frame: v.frame, title: dataset.title, back: `/dataset/${name}`, text };
  v.page(h(DeletePage, { ...props, what: 'dataset', action: `/dataset/delete/${name}` }));
}

const atFields = <T>(answer: Promise<T>, fields: FormFields, texts: Texts): Promise<T> =>
  answer.catch((thrown: unknown) => {
    throw atTagFields(thrown, fields, texts);
  });

type Lists = Pick<PageFormChoicesQuery, 'licenses' | 'site' | 'vocabularies'> & {
  readonly myOrganizations: Choices['organizations'];
};

const choicesOf = ({ licenses, myOrganizations, site, vocabularies }: Lists): Choices => ({
  ...{ licenses, organizations: myOrganizations, types: site.datasetTypes },
  vocabularies: vocabularies?.nodes ?? [],
});

/** Choices that everyone may read, for a submitted form. */
async function publicChoices(v: Visit): Promise<Choices> {
  return choicesOf({ ...(await v.run(PageFormChoicesDocument, listed(v), v.call)), myOrganizations: [] });
}
