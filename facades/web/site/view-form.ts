/** Builds form fields from the declaration of a view type, and the input of a mutation from a submitted form. */
import type { ViewTypeOfFormFragment } from '../../../src/generated/operations.ts';
import { type FormField, type FormFields, inputOf, plain, type Texts } from './form-texts.ts';
import type { Texts as Messages } from './texts.ts';

export type ViewType = ViewTypeOfFormFragment;
type ViewField = ViewType['fields'][number];

/** Kinds of views, and the columns of the table. */
export interface ViewChoices {
  readonly types: readonly ViewType[];
  readonly columns: readonly string[];
}

/** Fields that name one column. */
const COLUMN = /^(group|(latitude|longitude|geojson)_field)$/;

/** Name of the field of a form for a field that the kind of view, or the type of dataset, declares. */
export const ownName = (name: string): string => `fields-${name}`;

export function viewFields({ types, columns }: ViewChoices, { viewType }: Texts, t: Messages['t']): FormFields {
  const type = types.find(({ name }) => name === viewType);
  return {
    title: { label: t('views.viewTitle'), required: true },
    description: { label: t('edit.description'), kind: 'area', rows: 4, hint: t('edit.markdown') },
    ...Object.fromEntries((type?.fields ?? []).map((field) => [ownName(field.name), formField(field, columns, t)])),
  };
}

function formField({ name, kind, required, options }: ViewField, columns: readonly string[], t: Messages['t']) {
  const label = t('views.field', { name });
  const choice = (values: readonly (readonly [string, string])[], none: string): FormField => ({
    ...{ label, kind: 'choice', required },
    options: Object.fromEntries([['', none], ...values]),
  });
  if (kind === 'FLAG')
    return choice(
      [
        ['true', t('views.yes')],
        ['false', t('views.no')],
      ],
      t('views.given'),
    );
  if (kind === 'CHOICE')
    return choice(
      options.map((option) => [option, t('views.option', { name: option.replaceAll('-', '_') })]),
      t('views.given'),
    );
  if (kind === 'TEXT' && COLUMN.test(name) && columns.length > 0)
    return choice(
      columns.map((column) => [column, column]),
      t('views.column'),
    );
  if (kind === 'TEXTS') return { label, kind: 'area', rows: 3, hint: t('views.lines') } as const;
  return { label, required };
}

/** Texts of the form for stored fields. */
export const ownTexts = (fields: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries((fields ?? {}) as Record<string, unknown>).map(([name, value]) => [
      ownName(name),
      Array.isArray(value) ? value.join('\n') : String(value),
    ]),
  );

/** The input: the named fields. `stored`: those of the view, which the input replaces as a whole. */
export function viewInput(
  { types }: ViewChoices,
  form: Texts,
  names: readonly string[],
  stored: unknown,
): Record<string, unknown> {
  const type = types.find(({ name }) => name === form.viewType);
  const changed = (type?.fields ?? []).filter(({ name }) => names.includes(ownName(name)));
  const inputValue = ({ name, kind }: ViewField): unknown => {
    const text = plain(form[ownName(name)] ?? '');
    if (kind !== 'TEXTS') return text || null;
    const lines = text.split('\n').map((line) => line.trim());
    return text ? lines : null;
  };
  const common = names.filter((name) => name === 'title' || name === 'description');
  const own = Object.fromEntries(changed.map((field) => [field.name, inputValue(field)]));
  return {
    ...inputOf({ title: { label: '' }, description: { label: '' } }, form, common),
    ...(changed.length > 0 && { fields: { ...(stored as object | null), ...own } }),
  };
}
