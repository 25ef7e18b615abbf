/** Serves `/dataset/<name>/dictionary/<resource>`: the data dictionary of a table, with label, description and type of each column. */
import { Router } from 'express';
import { PageDictionaryDocument, PageSaveDictionaryDocument } from '../../../src/generated/operations.ts';
import { notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { hashOf } from '../../shared/packed.ts';
import { addEditForm, type EditForm, type FormPageProps } from './edit-form.ts';
import { infoOf } from './facts.tsx';
import { OneField } from './fields.tsx';
import { type FormFields, jsonOf, plain, type Texts, versionOf } from './form-texts.ts';
import { ObjectFormPage } from './object-form-page.tsx';
import { resourcePath } from './resource-calls.ts';
import type { Texts as Messages } from './texts.ts';
import { useTexts } from './use-texts.ts';
import type { SiteOptions, Visit } from './visit.ts';

/** Maximum columns of the form: it has three fields for each. The entries of others stay as they are. */
const MAX_COLUMNS = 800;

/** Keys of a column's entry, by the beginning of the field's name. */
const KEYS = { label: 'label', notes: 'notes', type: 'type_override' } as const;
type Part = keyof typeof KEYS;

/** Name of the field. Two tables with a column of the same name have the same, also in another order. */
const nameOf = (part: Part, column: string): string => `${part}-${hashOf(column)}`;

/** Columns of a form: its hidden list; empty if someone has changed it to something else. */
function columnsOf({ columns = '[]' }: Texts): string[] {
  const list = jsonOf(columns);
  return Array.isArray(list) ? list.filter((column) => typeof column === 'string').slice(0, MAX_COLUMNS) : [];
}

/** Types that the loading of files can use in place of the recognized one. */
const typesOf = (t: Messages['t']): Record<string, string> => ({
  '': t('dictionary.recognized'),
  text: t('resource.typeText'),
  int4: t('resource.typeInteger'),
  numeric: t('resource.typeNumber'),
  bool: t('resource.typeBoolean'),
  date: t('resource.typeDate'),
  timestamp: t('resource.typeTimestamp'),
});

function fieldsOf(texts: Texts, t: Messages['t']): FormFields {
  const options = typesOf(t);
  return Object.fromEntries(
    columnsOf(texts).flatMap((column): [string, FormFields[string]][] => [
      [nameOf('label', column), { label: t('dictionary.labelOf', { column }) }],
      [nameOf('type', column), { label: t('dictionary.typeOf', { column }), kind: 'choice', options }],
      [nameOf('notes', column), { label: t('dictionary.notesOf', { column }), kind: 'area', rows: 2 }],
    ]),
  );
}

export function dictionaryRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  addEditForm(router, options, DICTIONARY);
  return router;
}

async function tableOf(v: Visit) {
  const { resource } = await v.run(PageDictionaryDocument, { id: v.req.params.resource! }, v.call);
  const { dataset, table } = resource;
  if (!dataset) throw notFound('no such resource.');
  if (!dataset.viewerCanUpdate) throw notAuthorized('you may not change this dataset');
  if (!table) throw notFound('this resource has no table.');
  return { resource, dataset, table, columns: table.fields.filter(({ id }) => id !== '_id') };
}

const DICTIONARY: EditForm<{ readonly back: string }> = {
  path: '/dataset/:name/dictionary/:resource',
  what: 'dictionary',
  fields: (_context, texts, t) => fieldsOf(texts, t),
  blank: { back: '/dataset' },
  render: ({ context: { back }, ...props }) => (
    <ObjectFormPage
      {...props}
      title={props.frame.texts.t('dictionary.edit')}
      back={back}
      content={<Columns {...props} />}
    />
  ),
  async read(v) {
    const { resource, dataset, table, columns } = await tableOf(v);
    const shown = columns.slice(0, MAX_COLUMNS);
    const texts = Object.fromEntries(
      shown.flatMap((column) =>
        (Object.keys(KEYS) as Part[]).map((part) => [nameOf(part, column.id), infoOf(column, KEYS[part])]),
      ),
    );
    const ids = shown.map(({ id }) => id);
    const at = encodeURIComponent(dataset.name);
    const isHere = dataset.name === v.req.params.name;
    return {
      texts: { ...texts, columns: JSON.stringify(ids), version: String(table.version) },
      context: { back: `${resourcePath(dataset.name, resource.databaseId)}#columns` },
      moved: isHere ? undefined : `/dataset/${at}/dictionary/${encodeURIComponent(resource.databaseId)}`,
    };
  },
  async save(v, names) {
    const { resource, dataset, columns } = await tableOf(v);
    const changed = new Set(names);
    const fields = columns.map(({ id, info }) => {
      const parts = (Object.keys(KEYS) as Part[]).filter((part) => changed.has(nameOf(part, id)));
      if (parts.length === 0) return { id };
      const entry = new Map(Object.entries((info ?? {}) as Record<string, unknown>));
      for (const part of parts) {
        const text = plain(v.form[nameOf(part, id)] ?? '');
        if (text) entry.set(KEYS[part], text);
        else entry.delete(KEYS[part]);
      }
      return { id, info: Object.fromEntries(entry) };
    });
    const input = { resourceId: resource.databaseId, fields, force: true, expectedVersion: versionOf(v.form) };
    await v.run(PageSaveDictionaryDocument, { input }, v.call);
    return `${resourcePath(dataset.name, resource.databaseId)}#columns`;
  },
};

function Columns({ fields, texts, faults }: Pick<FormPageProps<unknown>, 'fields' | 'texts' | 'faults'>) {
  const { t, dataLang } = useTexts();
  return (
    <>
      <p class="hint">{t('dictionary.hint')}</p>
      {columnsOf(texts).map((column) => (
        <fieldset key={column}>
          <legend lang={dataLang}>{column}</legend>
          <div class="columns">
            <OneField name={nameOf('label', column)} {...{ fields, texts, faults }} />
            <OneField name={nameOf('type', column)} {...{ fields, texts, faults }} />
          </div>
          <OneField name={nameOf('notes', column)} {...{ fields, texts, faults }} />
        </fieldset>
      ))}
    </>
  );
}
