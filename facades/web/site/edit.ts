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
import { CatalogError, notAuthorized } from '../../../src/kernel/errors.ts';
import { refusing } from './account.ts';
import { ConflictPage } from './conflict-page.tsx';
import {
  chosenFields,
  differencesOf,
  type EditedDataset,
  FIELD_NAMES,
  inputOf,
  merged,
  type Texts,
  textsOf,
} from './dataset-form.ts';
import { type Choices, DatasetFormPage } from './dataset-form-page.tsx';
import { DeletePage } from './delete-page.tsx';
import type { Faults } from './form.tsx';
import { orLogin, type SiteOptions, type Visit, visiting } from './visit.ts';

const datasetPath = (name: string): string => `/dataset/${encodeURIComponent(name)}`;
const editPath = (id: string): string => `/dataset/edit/${encodeURIComponent(id)}`;
const NEW = '/dataset/new';
const LONG = { isLong: true, keeps: true } as const;
/** Refusals that belong to a key of the form that was used before. */
const SENT_BEFORE = 'This form was saved before. Open the dataset to change it, or open a new form.';

export function editRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visiting(options, (v) => orLogin(v, () => work(v)));
  const keeping = (work: (visit: Visit) => Promise<void>) => visiting(options, work, LONG);
  router.get(NEW, visit(showNew));
  router.post(NEW, keeping(submitNew));
  router.get(
    '/dataset/edit/:name',
    visit((v) => showEdit(v)),
  );
  router.post('/dataset/edit/:name', keeping(submitEdit));
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

/** Whether a form came without a valid session: it is shown again instead of saved. */
const isLost = (v: Visit): boolean => v.isStale || v.frame.viewer === null;

async function showNew(v: Visit): Promise<void> {
  const { site, ...lists } = await v.run(PageNewDatasetDocument, {}, v.call);
  if (!site.viewerCanCreateDatasets) throw notAuthorized('you may not create datasets.');
  const chosen = String(v.req.query.organization ?? v.req.query.group ?? '');
  const ownerOrganization = chosen || (lists.myOrganizations.length === 1 ? lists.myOrganizations[0]!.name : '');
  newForm(v, choicesOf(lists), { ownerOrganization, idempotencyKey: randomUUID() });
}

function newForm(v: Visit, choices: Choices, texts: Texts, faults: Faults = {}, status = 200): void {
  const props = { frame: v.frame, action: NEW, state: null, isLost: status === 401 };
  v.page(h(DatasetFormPage, { ...props, choices, texts, faults }), status);
}

async function submitNew(v: Visit): Promise<void> {
  if (isLost(v)) return newForm(v, await publicChoices(v), v.form, {}, 401);
  let texts: Texts = v.form;
  await refusing(
    [...FIELD_NAMES, 'idempotencyKey'],
    async ({ idempotencyKey, ...faults }, status) => {
      const lists = await v.run(PageNewDatasetDocument, {}, v.call);
      newForm(v, choicesOf(lists), texts, idempotencyKey ? { ...faults, form: SENT_BEFORE } : faults, status);
    },
    async () => {
      if (!texts.name?.trim() && texts.title?.trim()) {
        const { slug } = await v.run(PageNameFromTitleDocument, { title: texts.title }, v.call);
        texts = { ...texts, name: slug.text };
      }
      const input = {
        ...inputOf(texts),
        name: (texts.name ?? '').trim(),
        isDraft: texts.state === 'draft',
        idempotencyKey: texts.idempotencyKey || null,
      };
      const { dataset } = (await v.run(PageCreateDatasetDocument, { input }, v.call)).createDataset;
      v.goTo(datasetPath(dataset!.name));
    },
  );
}

async function stored(v: Visit, id: string): Promise<{ dataset: EditedDataset; choices: Choices }> {
  const { dataset, ...lists } = await v.run(PageEditDatasetDocument, { id }, v.call);
  if (!dataset.viewerCanUpdate) throw notAuthorized('you may not change this dataset.');
  return { dataset, choices: choicesOf(lists) };
}

async function showEdit(v: Visit, faults: Faults = {}, status = 200): Promise<void> {
  const { name } = v.req.params;
  const { dataset, choices } = await stored(v, name!);
  const isGet = v.req.method === 'GET' || v.req.method === 'HEAD';
  if (isGet && dataset.name !== name) return v.goTo(editPath(dataset.name));
  const texts = isGet ? textsOf(dataset) : { ...merged(textsOf(dataset), v.form), version: v.form.version ?? '' };
  const action = editPath(dataset.databaseId);
  v.page(h(DatasetFormPage, { frame: v.frame, action, texts, choices, faults, state: dataset.state }), status);
}

async function submitEdit(v: Visit): Promise<void> {
  const id = v.req.params.name!;
  if (isLost(v)) {
    // The dataset may be hidden from visitors, so the form is made of its own texts.
    const props = { frame: v.frame, action: editPath(id), texts: v.form, choices: await publicChoices(v) };
    return v.page(
      h(DatasetFormPage, { ...props, state: v.form.state === undefined ? '' : 'draft', isLost: true }),
      401,
    );
  }
  await refusing(
    FIELD_NAMES,
    (faults, status) => showEdit(v, faults, status),
    async () => {
      try {
        await save(v, id);
      } catch (thrown) {
        if (!(thrown instanceof CatalogError) || thrown.currentVersion === undefined) throw thrown;
        await showConflict(v, id);
      }
    },
  );
}

async function save(v: Visit, id: string): Promise<void> {
  const { version, state } = v.form;
  const input = {
    ...inputOf(v.form, chosenFields(v.form)),
    dataset: id,
    expectedVersion: Number(version),
    ...(state === 'active' || state === 'draft' ? { state } : {}),
  };
  const { dataset } = (await v.run(PageUpdateDatasetDocument, { input }, v.call)).updateDataset;
  v.goTo(datasetPath(dataset!.name));
}

async function showConflict(v: Visit, id: string): Promise<void> {
  const { dataset, choices } = await stored(v, id);
  const theirs = textsOf(dataset);
  const mine = merged(theirs, v.form);
  const props = { frame: v.frame, action: editPath(dataset.databaseId), choices, state: dataset.state };
  // The form cannot change vocabulary tags, so it keeps those that are saved.
  const texts = { ...mine, version: theirs.version!, vocabularyTags: theirs.vocabularyTags! };
  v.page(h(ConflictPage, { ...props, texts, differences: differencesOf(mine, theirs) }), 409);
}

async function showDelete(v: Visit): Promise<void> {
  const { dataset } = await stored(v, v.req.params.name!);
  const name = encodeURIComponent(dataset.name);
  const text = 'It leaves the search and all lists. People who may edit it can restore it.';
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
  return { licenses, organizations: [] };
}
