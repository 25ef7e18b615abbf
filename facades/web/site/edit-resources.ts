/** Serves the forms of resources: add, change, delete, and order them. */
import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { h } from 'preact';
import {
  type CreateResourceInput,
  PageCreateResourcesDocument,
  type PageCreateResourcesMutation,
  PageDatasetResourcesDocument,
  PageDeleteResourceDocument,
  PageMayAddFilesDocument,
  PageReorderResourcesDocument,
  PageUpdateResourceDocument,
} from '../../../src/generated/operations.ts';
import { CatalogError, notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { refusing } from './account.ts';
import type { Texts } from './dataset-form.ts';
import { DeletePage } from './delete-page.tsx';
import type { Faults } from './form.tsx';
import { type EditedResources, ResourceFormPage, ResourcesPage, resourceAt } from './resource-form-page.tsx';
import { FILES, type FormKind } from './submitted.ts';
import { faultsOf, orLogin, type SiteOptions, STATUS, type Visit, visiting } from './visit.ts';

const FIELDS = ['url', 'name', 'description', 'format', FILES];
const WITH_FILES: FormKind = {
  isLong: true,
  keeps: true,
  takesFiles: async (run, { params }, call) =>
    (await run(PageMayAddFilesDocument, { id: params.name! as string }, call)).dataset.viewerCanUpdate,
};
const AT = '/dataset/:name/resource';

export function editResourcesRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visiting(options, (v) => orLogin(v, () => work(v)));
  const keeping = (work: (visit: Visit) => Promise<void>) => visiting(options, work, WITH_FILES);
  router.get(
    '/dataset/resources/:name',
    visit(async (v) => v.page(h(ResourcesPage, { frame: v.frame, dataset: await edited(v) }))),
  );
  router.get(
    `${AT}/new`,
    visit(async (v) => {
      await edited(v);
      newForm(v, { idempotencyKey: randomUUID() });
    }),
  );
  router.post(`${AT}/new`, keeping(submitNew));
  router.get(
    `${AT}/:resource/edit`,
    visit(async (v) => editForm(v, textsOf(await edited(v), v.req.params.resource!))),
  );
  router.post(`${AT}/:resource/edit`, keeping(submitEdit));
  router.get(`${AT}/:resource/delete`, visit(showDelete));
  router.post(
    `${AT}/:resource/delete`,
    visit(async (v) => {
      await v.run(PageDeleteResourceDocument, { input: { resourceId: v.req.params.resource! } }, v.call);
      v.goTo(listPath(v));
    }),
  );
  router.post(`${AT}/:resource/move`, visit(move));
  return router;
}

const isLost = (v: Visit): boolean => v.isStale || v.frame.viewer === null;
const listPath = ({ req }: Visit): string => `/dataset/resources/${encodeURIComponent(req.params.name!)}`;

async function edited(v: Visit): Promise<EditedResources> {
  const { dataset } = await v.run(PageDatasetResourcesDocument, { id: v.req.params.name! }, v.call);
  if (!dataset.viewerCanUpdate) throw notAuthorized('you may not change this dataset.');
  return dataset;
}

function resourceIn({ resources }: EditedResources, id: string): EditedResources['resources'][number] {
  const found = resources.find(({ databaseId }) => databaseId === id);
  if (!found) throw notFound('no such resource.');
  return found;
}

function textsOf(dataset: EditedResources, id: string): Texts {
  const { url, urlType, name, description, format } = resourceIn(dataset, id);
  return {
    url,
    name: name ?? '',
    description: description ?? '',
    format: format ?? '',
    version: String(dataset.version),
    isFile: String(urlType === 'upload'),
  };
}

function newForm(v: Visit, texts: Texts, faults: Faults = {}, status = 200): void {
  const action = `/dataset/${encodeURIComponent(v.req.params.name!)}/resource/new`;
  const props = { frame: v.frame, action, texts, faults, isNew: true, back: listPath(v) };
  v.page(h(ResourceFormPage, { ...props, isLost: status === 401 }), status);
}

function editForm(v: Visit, texts: Texts, faults: Faults = {}, status = 200): void {
  const { name, resource } = v.req.params;
  const action = resourceAt(name!, resource!, 'edit');
  const props = { frame: v.frame, action, texts, faults, isNew: false, back: listPath(v) };
  v.page(h(ResourceFormPage, { ...props, isLost: status === 401 }), status);
}

async function submitNew(v: Visit): Promise<void> {
  if (isLost(v)) return newForm(v, v.form, {}, 401);
  await refusing(
    FIELDS,
    (faults, status) => newForm(v, v.form, faults, status),
    async () => {
      const items = itemsOf(v);
      const { results } = (await v.run(PageCreateResourcesDocument, { input: { items } }, v.call)).createResources;
      const problems = problemsOf(results ?? [], items);
      if (problems.length === 0) return v.goTo(listPath(v));
      const added = items.length - (results ?? []).filter(({ errors }) => errors.length > 0).length;
      const form = added > 0 ? `Added: ${added} of ${items.length}.` : '';
      const faults = faultsOf(new CatalogError('VALIDATION', '', problems), FIELDS);
      const [code = 'VALIDATION'] = (results ?? []).flatMap(({ errors }) => errors.map((error) => error.code));
      // A new key, because the form now adds the other resources. The link is the last item; if it was added, it leaves the form.
      const isLinkAdded = results?.at(-1)?.errors.length === 0;
      const rest = { ...v.form, idempotencyKey: randomUUID(), ...(isLinkAdded && { url: '' }) };
      const texts = added > 0 ? rest : v.form;
      newForm(v, texts, { ...faults, ...(form && { form: `${form} ${faults.form ?? ''}` }) }, STATUS[code]);
    },
  );
}

/** A resource for each file, and one for the link. Name and format count if there is only one. */
function itemsOf({ form, files, req }: Visit): CreateResourceInput[] {
  const hasLink = Boolean(form.url?.trim()) || files.length === 0;
  const isOne = files.length + Number(hasLink) === 1;
  const common = { description: form.description || null, ...(isOne && form.format && { format: form.format }) };
  const name = (isOne && form.name) || null;
  const items = files.map((file) => ({
    resource: { ...common, name: name ?? file.name },
    upload: { token: file.token, name: file.name },
  }));
  const link = {
    resource: { ...common, url: form.url?.trim() ?? '', name: name ?? (hasLink ? form.name || null : null) },
  };
  return [...items, ...(hasLink ? [link] : [])].map((item, index) => ({
    ...item,
    dataset: req.params.name!,
    idempotencyKey: form.idempotencyKey ? `${form.idempotencyKey} ${index}` : null,
  }));
}

type Results = NonNullable<PageCreateResourcesMutation['createResources']['results']>;

/** Problems of all refused resources, at the fields of the form. */
function problemsOf(results: Results, items: readonly CreateResourceInput[]): { path: string[]; message: string }[] {
  return results.flatMap(({ errors }, index) =>
    errors.map(({ path, message }) => {
      if (path[0] === 'idempotencyKey') return { path: [], message: 'This form was sent before. Open a new form.' };
      const file = items[index]?.upload?.name;
      const field = path[0] === 'resource' ? path.slice(1) : path;
      return file === undefined ? { path: field, message } : { path: [FILES], message: `${file}: ${message}` };
    }),
  );
}

async function submitEdit(v: Visit): Promise<void> {
  if (isLost(v)) return editForm(v, v.form, {}, 401);
  const { resource: resourceId } = v.req.params;
  const { form, files } = v;
  let again: Texts = form;
  await refusing(
    FIELDS,
    (faults, status) => editForm(v, again, faults, status),
    async () => {
      const [file] = files;
      const text = (name: string) => form[name]?.trim() || null;
      const resource = { name: text('name'), description: text('description'), format: text('format') };
      const input = {
        resourceId: resourceId!,
        expectedVersion: Number(form.version),
        resource: form.isFile === 'true' || file ? resource : { ...resource, url: form.url?.trim() ?? '' },
        ...(file && { upload: { token: file.token, name: file.name } }),
      };
      try {
        await v.run(PageUpdateResourceDocument, { input }, v.call);
      } catch (thrown) {
        if (!(thrown instanceof CatalogError) || thrown.currentVersion === undefined) throw thrown;
        again = { ...form, version: String(thrown.currentVersion) };
        throw new CatalogError(
          'CONFLICT',
          'Another user has changed this dataset in the meantime. Nothing of yours is saved yet. Save again to apply these texts.',
        );
      }
      v.goTo(listPath(v));
    },
  );
}

async function showDelete(v: Visit): Promise<void> {
  const dataset = await edited(v);
  const { databaseId, name, url } = resourceIn(dataset, v.req.params.resource!);
  const action = resourceAt(dataset.name, databaseId, 'delete');
  const text = 'Its file and its table are deleted with it.';
  const props = { frame: v.frame, what: 'resource' as const, title: name || url, text, action, back: listPath(v) };
  v.page(h(DeletePage, props));
}

async function move(v: Visit): Promise<void> {
  const { databaseId: dataset, resources } = await edited(v);
  const id = v.req.params.resource!;
  const order = resources.map(({ databaseId }) => databaseId).filter((other) => other !== id);
  order.splice(Number(v.form.position), 0, id);
  const input = { dataset, order, expectedVersion: Number(v.form.version) };
  await v.run(PageReorderResourcesDocument, { input }, v.call);
  v.goTo(listPath(v));
}
