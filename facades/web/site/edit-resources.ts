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
  PageLoadResourceDocument,
  PageMayAddFilesDocument,
  PageReorderResourcesDocument,
  PageUpdateResourceDocument,
} from '../../../src/generated/operations.ts';
import { CatalogError, notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { refusing } from './account.ts';
import { DeletePage } from './delete-page.tsx';
import { addEditForm, type EditForm, isLost } from './edit-form.ts';
import type { Faults } from './form.tsx';
import { baseOf, type FormFields, plain, type Texts, versionOf } from './form-texts.ts';
import type { Frame } from './frame.ts';
import { ObjectFormPage } from './object-form-page.tsx';
import { type EditedResources, ResourcesPage, resourceAt, resourceFields, TableState } from './resource-form-page.tsx';
import { FILES, type FormKind } from './submitted.ts';
import { faultsOf, type SiteOptions, STATUS, type Visit, visiting, visitingOrLogin } from './visit.ts';

/** Names of the fields of the form of new resources. */
const NEW_NAMES = ['url', FILES, 'name', 'description', 'format'];
const takesFiles: NonNullable<FormKind['takesFiles']> = async (run, { params }, call) =>
  (await run(PageMayAddFilesDocument, { id: params.name! as string }, call)).dataset.viewerCanUpdate;
const AT = '/dataset/:name/resource';

export function editResourcesRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
  const again: FormKind['again'] = ({ frame, texts, path, message }) =>
    newPage(frame, path.replace(/\/[^/]*\/new$/, ''), path, texts, { form: message });
  router.get(
    '/dataset/resources/:name',
    visit(async (v) => {
      const notice = v.req.query.notice === 'repeated' ? v.frame.texts.t('edit.repeated') : undefined;
      v.page(h(ResourcesPage, { frame: v.frame, dataset: await edited(v), notice }));
    }),
  );
  router.get(
    `${AT}/new`,
    visit(async (v) => {
      await edited(v);
      newForm(v, { idempotencyKey: randomUUID() });
    }),
  );
  router.post(`${AT}/new`, visiting(options, submitNew, { isLong: true, takesFiles, again }));
  addEditForm(router, options, EDIT_RESOURCE);
  router.get(`${AT}/:resource/delete`, visit(showDelete));
  router.post(
    `${AT}/:resource/delete`,
    visit(async (v) => {
      await v.run(PageDeleteResourceDocument, { input: { resourceId: v.req.params.resource! } }, v.call);
      v.goTo(listPath(v));
    }),
  );
  router.post(`${AT}/:resource/move`, visit(move));
  router.post(`${AT}/:resource/load`, visit(load));
  return router;
}

const listPath = ({ req }: Visit): string => `/dataset/resources/${encodeURIComponent(req.params.name!)}`;

async function edited(v: Visit): Promise<EditedResources> {
  const { dataset } = await v.run(PageDatasetResourcesDocument, { id: v.req.params.name! }, v.call);
  if (!dataset.viewerCanUpdate) throw notAuthorized('you may not change this dataset');
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

function newPage(frame: Frame, back: string, action: string, texts: Texts, faults: Faults, lost = false) {
  const { t } = frame.texts;
  const props = { frame, action, texts, faults, back, isLost: lost, fields: resourceFields(t, { isNew: true }) };
  return h(ObjectFormPage, { ...props, title: t('edit.addResources'), submit: t('edit.add'), hasFiles: true });
}

function newForm(v: Visit, texts: Texts, faults: Faults = {}, status = 200): void {
  const action = `/dataset/${encodeURIComponent(v.req.params.name!)}/resource/new`;
  v.page(newPage(v.frame, listPath(v), action, texts, faults, status === 401), status);
}

interface Edited {
  readonly back: string;
  /** Name of the dataset. */
  readonly dataset: string;
  /** Null while nothing can be read. */
  readonly resource: EditedResources['resources'][number] | null;
}

const EDIT_RESOURCE: EditForm<Edited> = {
  path: `${AT}/:resource/edit`,
  what: 'resource',
  fields: (_context, { isFile }, t) => resourceFields(t, { isFile: isFile === 'true' }),
  takesFiles,
  blank: { back: '/dataset', dataset: '', resource: null },
  render({ context: { back, dataset, resource }, ...props }) {
    const { frame } = props;
    const table = resource && h(TableState, { frame, dataset, resource });
    const title = frame.texts.t('edit.editResource');
    return h(ObjectFormPage, { ...props, back, title, hasFiles: true }, table);
  },
  async read(v) {
    const dataset = await edited(v);
    const resource = resourceIn(dataset, v.req.params.resource!);
    return {
      texts: textsOf(dataset, resource.databaseId),
      context: { back: listPath(v), dataset: dataset.name, resource },
    };
  },
  async save(v, names, fields) {
    const { form, files } = v;
    const [file] = files;
    const value = (name: string) => plain(form[name] ?? '') || null;
    const isLink = form.isFile !== 'true' && !file;
    const resource = Object.fromEntries(
      names
        .filter((name) => name !== 'url' || isLink)
        .map((name) => [name, name === 'url' ? (value(name) ?? '') : value(name)]),
    );
    const input = {
      resourceId: v.req.params.resource!,
      expectedVersion: await expectedVersion(v, fields),
      resource,
      ...(file && { upload: { token: file.token, name: file.name } }),
    };
    await v.run(PageUpdateResourceDocument, { input }, v.call);
    return listPath(v);
  },
};

/** The dataset's version. Changes of other parts of the dataset do not conflict with the form of a resource. */
async function expectedVersion(v: Visit, fields: FormFields): Promise<number> {
  const dataset = await edited(v);
  const stored = textsOf(dataset, v.req.params.resource!);
  const isUnchanged = stored.isFile === v.form.isFile && baseOf(fields, stored) === v.form.base;
  return isUnchanged ? dataset.version : versionOf(v.form);
}

async function submitNew(v: Visit): Promise<void> {
  if (isLost(v)) return newForm(v, v.form, {}, 401);
  await refusing(
    NEW_NAMES,
    (faults, status) => newForm(v, v.form, faults, status),
    async () => {
      const items = itemsOf(v);
      const { results } = (await v.run(PageCreateResourcesDocument, { input: { items } }, v.call)).createResources;
      const refusals = (results ?? []).flatMap(({ errors }) => errors);
      // The files of a second click: those of the first one are there.
      const repeated = refusals.filter(({ path }) => path[0] === 'idempotencyKey');
      if (refusals.length > 0 && refusals.length === repeated.length) return v.goTo(`${listPath(v)}?notice=repeated`);
      const problems = problemsOf(results ?? [], items);
      if (refusals.length === 0) return v.goTo(listPath(v));
      const added = items.length - (results ?? []).filter(({ errors }) => errors.length > 0).length;
      const { t } = v.frame.texts;
      const form = [
        added > 0 ? t('edit.added', { added: String(added), all: String(items.length) }) : '',
        repeated.length > 0 ? t('edit.formSent') : '',
      ].join(' ');
      const faults = faultsOf(new CatalogError('VALIDATION', '', problems), NEW_NAMES);
      const [code = 'VALIDATION'] = (results ?? []).flatMap(({ errors }) => errors.map((error) => error.code));
      // A new key, because the form now adds the other resources. The link is the last item; if it was added, it leaves the form.
      const isLinkAdded = results?.at(-1)?.errors.length === 0;
      const rest = { ...v.form, idempotencyKey: randomUUID(), ...(isLinkAdded && { url: '' }) };
      const texts = added > 0 ? rest : v.form;
      newForm(v, texts, { ...faults, ...(form.trim() && { form: [form, ' ', faults.form] }) }, STATUS[code]);
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
    errors.flatMap(({ path, message }) => {
      if (path[0] === 'idempotencyKey') return [];
      const file = items[index]?.upload?.name;
      const field = path[0] === 'resource' ? path.slice(1) : path;
      return file === undefined ? { path: field, message } : { path: [FILES], message: `${file}: ${message}` };
    }),
  );
}

async function showDelete(v: Visit): Promise<void> {
  const dataset = await edited(v);
  const { databaseId, name, url } = resourceIn(dataset, v.req.params.resource!);
  const action = resourceAt(dataset.name, databaseId, 'delete');
  const text = v.frame.texts.t('edit.deleteResourceText');
  const props = { frame: v.frame, what: 'resource' as const, title: name || url, text, action, back: listPath(v) };
  v.page(h(DeletePage, props));
}

/** Loads the file of a resource into its table again. */
async function load(v: Visit): Promise<void> {
  const id = v.req.params.resource!;
  const dataset = await edited(v);
  resourceIn(dataset, id);
  try {
    await v.run(PageLoadResourceDocument, { input: { resourceId: id } }, v.call);
  } catch (thrown) {
    if (!(thrown instanceof CatalogError)) throw thrown;
    const fault = { id, text: faultsOf(thrown, []).form };
    return v.page(h(ResourcesPage, { frame: v.frame, dataset, notice: undefined, fault }), STATUS[thrown.kind]);
  }
  v.goTo(resourceAt(dataset.name, id, 'edit'));
}

async function move(v: Visit): Promise<void> {
  const { databaseId: dataset, resources } = await edited(v);
  const id = v.req.params.resource!;
  const order = resources.map(({ databaseId }) => databaseId).filter((other) => other !== id);
  order.splice(Number(v.form.position), 0, id);
  const input = { dataset, order, expectedVersion: versionOf(v.form) };
  await v.run(PageReorderResourcesDocument, { input }, v.call);
  v.goTo(listPath(v));
}
