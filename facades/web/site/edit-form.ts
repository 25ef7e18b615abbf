/** Serves the form of one object: shows it, saves it, and shows both versions of a conflict. */
import type { Router } from 'express';
import { h, type JSX } from 'preact';
import { CatalogError, notAuthorized } from '../../../src/kernel/errors.ts';
import { refusing } from './account.ts';
import { ConflictPage } from './conflict-page.tsx';
import type { Faults } from './form.tsx';
import { baseOf, changedFields, differencesOf, type FormFields, merged, type Texts } from './form-texts.ts';
import type { Frame } from './frame.ts';
import type { FormKind } from './submitted.ts';
import type { Texts as Messages } from './texts.ts';
import { type SiteOptions, type Visit, visiting, visitingOrLogin } from './visit.ts';

/** Content of a form. */
export interface Shown<Context> {
  /** Texts of the stored object with its `version`, or those of an empty form. */
  readonly texts: Texts;
  /** Everything else that the page needs, such as lists to choose from. */
  readonly context: Context;
  /** Path for submitting the form. Default: the path of the request. */
  readonly action?: string;
  /** Current path of the form, if the request has another one. */
  readonly moved?: string | undefined;
  readonly isDeleted?: boolean;
}

export interface FormPageProps<Context> {
  readonly frame: Frame;
  readonly action: string;
  readonly fields: FormFields;
  readonly texts: Texts;
  readonly faults: Faults;
  /** Whether the reader must sign in before saving. */
  readonly isLost: boolean;
  readonly context: Context;
}

export interface EditForm<Context> {
  /** Path of the form, and of its submission. */
  readonly path: string;
  /** Fields of a form with these texts. Submitted forms are read with the context of `submitted`. */
  readonly fields: (context: Context, texts: Texts, t: Messages['t']) => FormFields;
  /** Whether the caller may send files. Asked before any is received. */
  readonly takesFiles?: FormKind['takesFiles'];
  /** @throws CatalogError NOT_AUTHORIZED for callers who may not save */
  read(v: Visit): Promise<Shown<Context>>;
  /** Context of a submitted form, before the object is read: lists that everyone may read. Default: `blank`. */
  readonly submitted?: (v: Visit) => Promise<Context>;
  /** Context of a form while nothing can be read. */
  readonly blank: Context;
  render(props: FormPageProps<Context>): JSX.Element;
  /** Kind of the object, for the page of a conflict. */
  readonly what?: string;
  /** Buttons of the page of a conflict. Default: Save. */
  readonly buttons?: (context: Context) => JSX.Element;
  /** Saves the form, of which the editor has changed the fields `names`. Returns the path to go to. */
  save(v: Visit, names: readonly string[], fields: FormFields, context: Context): Promise<string>;
}

/** Whether a form came without a valid session: it is shown again instead of saved. */
export const isLost = (v: Visit): boolean => v.isStale || v.frame.viewer === null;

export function addEditForm<Context>(router: Router, options: SiteOptions, form: EditForm<Context>): void {
  router.get(
    form.path,
    visitingOrLogin(options, (v) => show(v, form)),
  );
  const again: FormKind['again'] = ({ frame, texts, path, message }) => {
    const { blank: context } = form;
    const props = { frame, action: path, texts, context, fields: form.fields(context, texts, frame.texts.t) };
    return form.render({ ...props, faults: { form: message }, isLost: false });
  };
  const { takesFiles } = form;
  router.post(
    form.path,
    visiting(options, (v) => submit(v, form), { isLong: true, again, ...(takesFiles && { takesFiles }) }),
  );
}

async function show<Context>(v: Visit, form: EditForm<Context>): Promise<void> {
  if (v.frame.viewer === null) throw notAuthorized('sign in first');
  const shown = await form.read(v);
  if (shown.moved !== undefined) return v.goTo(shown.moved);
  render(v, form, { ...shown, texts: withBase(v, form, shown) }, {}, 200);
}

/** Texts of a stored object, with their hashes. */
const withBase = <Context>(v: Visit, form: EditForm<Context>, { texts, context }: Shown<Context>): Texts => ({
  ...texts,
  base: baseOf(form.fields(context, texts, v.frame.texts.t), texts),
});

function render<Context>(
  v: Visit,
  form: EditForm<Context>,
  { texts, context, action = pathOf(v) }: Shown<Context>,
  faults: Faults,
  status: number,
): void {
  const props = {
    frame: v.frame,
    action,
    fields: form.fields(context, texts, v.frame.texts.t),
    texts,
    faults,
    context,
  };
  v.page(form.render({ ...props, isLost: status === 401 }), status);
}

/** Path of the request with its query. */
export const pathOf = ({ req }: Pick<Visit, 'req'>): string => req.url ?? '/';

async function submit<Context>(v: Visit, form: EditForm<Context>): Promise<void> {
  const context = await (form.submitted?.(v) ?? form.blank);
  // The object may be hidden from visitors, so the form is made of its own texts.
  if (isLost(v)) return render(v, form, { texts: v.form, context }, {}, 401);
  const submitted = form.fields(context, v.form, v.frame.texts.t);
  await refusing(
    ['idempotencyKey', ...Object.keys(submitted)],
    async ({ idempotencyKey, ...faults }, status) => {
      const shown = await form.read(v);
      const texts = merged(withBase(v, form, shown), v.form);
      const all = idempotencyKey ? { ...faults, form: v.frame.texts.t('edit.sentBefore') } : faults;
      render(v, form, { ...shown, texts }, all, status);
    },
    async () => {
      try {
        v.goTo(await form.save(v, changedFields(submitted, v.form), submitted, context));
      } catch (thrown) {
        if (!(thrown instanceof CatalogError) || thrown.currentVersion === undefined) throw thrown;
        await showConflict(v, form);
      }
    },
  );
}

async function showConflict<Context>(v: Visit, form: EditForm<Context>): Promise<void> {
  const shown = await form.read(v);
  const { context, action = pathOf(v), isDeleted = false } = shown;
  const theirs = shown.texts;
  const fields = form.fields(context, theirs, v.frame.texts.t);
  const mine = merged(withBase(v, form, shown), v.form);
  const isOwn = (name: string) => Object.hasOwn(fields, name) || name.startsWith('extra-');
  // Texts that the form cannot change, such as the version, are those that are saved.
  const texts = { ...mine, ...Object.fromEntries(Object.entries(theirs).filter(([name]) => !isOwn(name))) };
  const differences = differencesOf(fields, mine, theirs);
  const props = { frame: v.frame, action, fields, texts, differences, isDeleted, what: form.what ?? 'object' };
  v.page(h(ConflictPage, { ...props, hasFiles: form.takesFiles !== undefined, buttons: form.buttons?.(context) }), 409);
}
