/** Serves `/user/edit/<name>`: the form of a profile. `/user/edit` leads to the reader's own. */
import { Router } from 'express';
import { h } from 'preact';
import { PageEditUserDocument, PageUpdateUserDocument } from '../../../src/generated/operations.ts';
import { notAuthorized } from '../../../src/kernel/errors.ts';
import { addEditForm, type EditForm } from './edit-form.ts';
import { type FormFields, inputOf, versionOf } from './form-texts.ts';
import { ObjectFormPage } from './object-form-page.tsx';
import { pictureFields } from './picture-fields.ts';
import type { Texts as Messages } from './texts.ts';
import { type SiteOptions, visitingOrLogin } from './visit.ts';

const fieldsOf = (t: Messages['t']): FormFields => ({
  fullName: { label: t('account.fullName') },
  email: { label: t('common.email'), kind: 'email', hint: t('manage.emailHint'), required: true },
  about: { label: t('manage.about'), kind: 'area', hint: t('edit.markdown') },
  ...pictureFields(t),
  emailNotifications: {
    label: t('manage.notifications'),
    kind: 'choice',
    options: { true: t('manage.notify'), false: t('manage.notifyNot') },
  },
});

const pathOf = (name: string): string => `/user/${encodeURIComponent(name)}`;

const EDIT_USER: EditForm<string> = {
  path: '/user/edit/:name',
  what: 'profile',
  fields: (_back, _texts, t) => fieldsOf(t),
  takesFiles: async (run, { params }, call) =>
    (await run(PageEditUserDocument, { name: String(params.name) }, call)).user.viewerSeesAccount,
  blank: '/user/me',
  render: ({ context, ...props }) =>
    h(ObjectFormPage, { ...props, title: props.frame.texts.t('manage.editProfile'), back: context, hasFiles: true }),
  async read(v) {
    const { user } = await v.run(PageEditUserDocument, { name: v.req.params.name! }, v.call);
    if (!user.viewerSeesAccount) throw notAuthorized('you may not change this user');
    const { fullName, email, about, imageUrl, emailNotifications, version } = user;
    const texts = {
      ...{ fullName: fullName ?? '', email: email ?? '', about: about ?? '', imageUrl },
      emailNotifications: String(emailNotifications),
      version: String(version),
    };
    return { texts, context: pathOf(user.name), isDeleted: user.state === 'deleted' };
  },
  async save(v, names, fields) {
    const [file] = v.files;
    const input = {
      ...inputOf(fields, v.form, names, []),
      ...(names.includes('emailNotifications') && { emailNotifications: v.form.emailNotifications === 'true' }),
      ...(file && { imageUpload: { token: file.token, name: file.name } }),
      user: v.req.params.name!,
      expectedVersion: versionOf(v.form),
    };
    const { user } = (await v.run(PageUpdateUserDocument, { input }, v.call)).updateUser;
    return pathOf(user!.name);
  },
};

export function editUserRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  addEditForm(router, options, EDIT_USER);
  router.get(
    '/user/edit',
    visitingOrLogin(options, async (v) => {
      if (v.frame.viewer === null) throw notAuthorized('sign in first');
      v.goTo(`/user/edit/${encodeURIComponent(v.frame.viewer.name)}`);
    }),
  );
  return router;
}
