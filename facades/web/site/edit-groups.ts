/** Serves the forms of organizations and groups: new, edit, delete and restore. */
import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { h } from 'preact';
import {
  type CreateOrganizationInput,
  type EditedGroupFragment,
  PageCreateGroupDocument,
  PageCreateOrganizationDocument,
  PageDeleteGroupDocument,
  PageDeleteOrganizationDocument,
  PageEditGroupDocument,
  PageEditOrganizationDocument,
  PageNameFromTitleDocument,
  PageNewGroupDocument,
  PageUpdateGroupDocument,
  PageUpdateOrganizationDocument,
} from '../../../src/generated/operations.ts';
import type { RunOperation } from '../../../src/graph/run.ts';
import type { Call } from '../../../src/kernel/call.ts';
import { notAuthorized } from '../../../src/kernel/errors.ts';
import { DeletePage } from './delete-page.tsx';
import { addEditForm, type EditForm } from './edit-form.ts';
import { extraTexts, type FormFields, inputOf, MAX_ROWS_WITH_FILES, type Texts, versionOf } from './form-texts.ts';
import type { GroupKind } from './group-page.tsx';
import { ObjectFormPage } from './object-form-page.tsx';
import { pictureFields } from './picture-fields.ts';
import { FILES } from './submitted.ts';
import type { Texts as Messages } from './texts.ts';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const fieldsOf = (t: Messages['t'], isNew = false): FormFields => ({
  title: { label: t('edit.title') },
  name: { label: t('edit.url'), hint: `${t('edit.urlHint')} ${isNew ? t('edit.urlNew') : t('edit.urlOld')}` },
  description: { label: t('edit.description'), kind: 'area', hint: t('edit.markdown') },
  ...pictureFields(t),
  extras: { label: t('edit.customFields'), kind: 'extras' },
});

const pathOf = (kind: GroupKind, name: string): string => `/${kind}/${encodeURIComponent(name)}`;
const editPath = (kind: GroupKind, name: string): string => `/${kind}/edit/${encodeURIComponent(name)}`;

export function editGroupsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
  for (const kind of ['organization', 'group'] as const) {
    addEditForm(router, options, newForm(kind));
    addEditForm(router, options, editForm(kind));
    router.get(
      `/${kind}/delete/:name`,
      visit((v) => showDelete(v, kind)),
    );
    router.post(
      `/${kind}/delete/:name`,
      visit((v) => remove(v, kind)),
    );
    router.post(
      `/${kind}/restore/:name`,
      visit(async (v) => v.goTo(pathOf(kind, await update(v, kind, { state: 'active' })))),
    );
  }
  return router;
}

async function stored({ run, call, req }: Pick<Visit, 'run' | 'call' | 'req'>, kind: GroupKind) {
  const id = req.params.name!;
  const read = kind === 'organization' ? PageEditOrganizationDocument : PageEditGroupDocument;
  return (await run<{ group: EditedGroupFragment | null }, { id: string }>(read, { id }, call)).group!;
}

async function mayCreate(run: RunOperation, call: Call, kind: GroupKind): Promise<boolean> {
  const { site } = await run(PageNewGroupDocument, {}, call);
  return kind === 'organization' ? site.viewerCanCreateOrganizations : site.viewerCanCreateGroups;
}

const textsOf = ({ title, name, description, imageUrl, version, extras }: EditedGroupFragment): Texts => ({
  ...{ title, name, description, imageUrl, version: String(version) },
  ...extraTexts(extras, MAX_ROWS_WITH_FILES),
});

/** Fields of the inputs that both kinds have. */
const inputWith = ({ form, files: [file] }: Visit, names: readonly string[], fields: FormFields) => ({
  ...inputOf(fields, form, names, ['name']),
  ...(file && { imageUpload: { token: file.token, name: file.name } }),
});

const newForm = (kind: GroupKind): EditForm<null> => ({
  path: `/${kind}/new`,
  fields: (_context, _texts, t) => fieldsOf(t, true),
  takesFiles: (run, _req, call) => mayCreate(run, call, kind),
  blank: null,
  render: ({ context: _context, ...props }) =>
    h(ObjectFormPage, {
      ...props,
      title: props.frame.texts.t('manage.newTitle', { kind }),
      submit: props.frame.texts.t('manage.create'),
      back: `/${kind}`,
      hasFiles: true,
    }),
  async read({ run, call }) {
    if (!(await mayCreate(run, call, kind))) throw notAuthorized(`you may not create ${kind}s`);
    return { texts: { idempotencyKey: randomUUID() }, context: null };
  },
  async save(v, _names, fields) {
    const { run, call, form } = v;
    const { title = '', idempotencyKey } = form;
    const isUnnamed = !form.name?.trim() && title.trim();
    const name = isUnnamed ? (await run(PageNameFromTitleDocument, { title }, call)).slug.text : form.name?.trim();
    const given = Object.keys(fields).filter((field) => field !== FILES);
    const input: CreateOrganizationInput = {
      ...inputWith(v, given, fields),
      name: name ?? '',
      idempotencyKey: idempotencyKey || null,
    };
    const { created } =
      kind === 'organization'
        ? await run(PageCreateOrganizationDocument, { input }, call)
        : await run(PageCreateGroupDocument, { input }, call);
    return pathOf(kind, created.group!.name);
  },
});

const editForm = (kind: GroupKind): EditForm<string> => ({
  path: `/${kind}/edit/:name`,
  what: kind,
  fields: (_back, _texts, t) => fieldsOf(t),
  takesFiles: async (run, req, call) =>
    (await stored({ run, call, req: req as unknown as Visit['req'] }, kind)).viewerCanUpdate,
  blank: `/${kind}`,
  render: ({ context, ...props }) =>
    h(ObjectFormPage, {
      ...props,
      title: props.frame.texts.t('manage.editTitle', { kind }),
      back: context,
      hasFiles: true,
    }),
  async read(v) {
    const group = await stored(v, kind);
    if (!group.viewerCanUpdate) throw notAuthorized(`you may not change this ${kind}`);
    return {
      texts: textsOf(group),
      context: pathOf(kind, group.name),
      action: editPath(kind, group.databaseId),
      moved: group.name === v.req.params.name ? undefined : editPath(kind, group.name),
      isDeleted: group.state === 'deleted',
    };
  },
  save: async (v, names, fields) =>
    pathOf(kind, await update(v, kind, { ...inputWith(v, names, fields), expectedVersion: versionOf(v.form) })),
});

/** Changes an organization or group. Returns its name. */
async function update(v: Visit, kind: GroupKind, input: Record<string, unknown>): Promise<string> {
  const id = v.req.params.name!;
  const { updated } =
    kind === 'organization'
      ? await v.run(PageUpdateOrganizationDocument, { input: { ...input, organization: id } }, v.call)
      : await v.run(PageUpdateGroupDocument, { input: { ...input, group: id } }, v.call);
  return updated.group!.name;
}

async function showDelete(v: Visit, kind: GroupKind): Promise<void> {
  const group = await stored(v, kind);
  if (!group.viewerCanDelete) throw notAuthorized(`you may not delete this ${kind}`);
  const action = `/${kind}/delete/${encodeURIComponent(group.name)}`;
  const props = {
    frame: v.frame,
    what: kind,
    title: group.displayName,
    text: v.frame.texts.t('manage.deleteText', { kind }),
    action,
  };
  v.page(h(DeletePage, { ...props, back: pathOf(kind, group.name) }));
}

async function remove(v: Visit, kind: GroupKind): Promise<void> {
  const id = v.req.params.name!;
  if (kind === 'organization') await v.run(PageDeleteOrganizationDocument, { input: { organization: id } }, v.call);
  else await v.run(PageDeleteGroupDocument, { input: { group: id } }, v.call);
  v.goTo(`/${kind}`);
}
