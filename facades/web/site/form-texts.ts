/** Normalizes texts of forms, for comparison with another editor's version and for writing. */
import { hashOf } from '../../shared/packed.ts';

export type Texts = Readonly<Record<string, string>>;

/** A field of a form. */
export interface FormField {
  readonly label: string;
  /** Default: one line of text. */
  readonly kind?: 'area' | 'choice' | 'many' | 'tags' | 'extras' | 'file' | 'files' | 'email' | 'date';
  readonly hint?: string;
  /** Lines of an area. */
  readonly rows?: number;
  /** Values of a choice, with their labels. */
  readonly options?: Readonly<Record<string, string>>;
  readonly required?: boolean;
}

/** Fields in the order of the form. */
export type FormFields = Readonly<Record<string, FormField>>;

/** Maximum rows of custom fields in a form. An object with more keeps them, and the form does not show them. */
const MAX_ROWS = 1000;
/** The same for forms that send files: they have fewer fields. */
export const MAX_ROWS_WITH_FILES = 400;
/** Empty rows for custom fields below the filled ones. */
const EMPTY_ROWS = 3;
/** Hidden field: the number of custom fields that the form does not show. */
export const HIDDEN_EXTRAS = 'hiddenExtras';

interface Extra {
  readonly key: string;
  readonly value: string;
}

/** Browsers send line ends as CRLF. */
const withLines = (text: string): string => text.replaceAll('\r\n', '\n');
export const plain = (text: string): string => withLines(text).trim();

/** Names of the custom fields' texts, one row each. */
export function extraTexts(extras: readonly Extra[], maxRows = MAX_ROWS): Record<string, string> {
  if (extras.length > maxRows) return { [HIDDEN_EXTRAS]: String(extras.length) };
  return Object.fromEntries(
    extras.flatMap(({ key, value }, index) => [
      [`extra-key-${index}`, key],
      [`extra-value-${index}`, value],
    ]),
  );
}

/** Custom fields of a form. Rows without texts are omitted. */
export function extrasOf(texts: Texts): Extra[] {
  const rows: Extra[] = [];
  for (let index = 0; index < MAX_ROWS + EMPTY_ROWS && texts[`extra-key-${index}`] !== undefined; index++) {
    const row = { key: texts[`extra-key-${index}`]!.trim(), value: withLines(texts[`extra-value-${index}`] ?? '') };
    if (row.key || row.value) rows.push(row);
  }
  return rows;
}

/** Rows of custom fields, with empty ones at the end. */
export const rowsOf = (texts: Texts): Extra[] => [
  ...extrasOf(texts),
  ...Array.from({ length: EMPTY_ROWS }, () => ({ key: '', value: '' })),
];

/** Names of tags, each once. */
export const tagsOf = (text = ''): string[] => [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean);

/** A field as text, to compare and to show. */
export function textOf(fields: FormFields, texts: Texts, name: string): string {
  const { kind } = fields[name]!;
  if (kind === 'extras')
    return extrasOf(texts)
      .map(({ key, value }) => `${key}: ${value}`)
      .sort()
      .join('\n');
  if (kind === 'tags' || kind === 'many') return tagsOf(texts[name]).sort().join(', ');
  return plain(texts[name] ?? '');
}

/** Names of the fields with texts. Custom fields that the form does not show are none of them. */
const namesIn = (fields: FormFields, texts: Texts): string[] =>
  Object.keys(fields).filter((name) => {
    const { kind } = fields[name]!;
    return kind !== 'file' && kind !== 'files' && !(kind === 'extras' && texts[HIDDEN_EXTRAS]);
  });

/** Hashes of the fields as the editor got them. They show which fields the editor has changed. */
export const baseOf = (fields: FormFields, texts: Texts): string =>
  namesIn(fields, texts)
    .map((name) => `${name}:${hashOf(textOf(fields, texts, name))}`)
    .join('.');

/** Name of the radio buttons that choose between two versions of a field. */
export const choiceOf = (name: string): string => `choice-${name}`;
const isChoice = (name: string): boolean => name.startsWith('choice-');

/** Says whether the editor has changed a field, or has chosen the own version of it. */
function mineIn(fields: FormFields, texts: Texts): (name: string) => boolean {
  // Read once: a form can have thousands of fields, and a base of megabytes. Names can have dots.
  const base = new Set((texts.base ?? '').split(/(?<=:[0-9a-f]{8})\./));
  return (name) => {
    const choice = texts[choiceOf(name)];
    return choice === undefined ? !base.has(`${name}:${hashOf(textOf(fields, texts, name))}`) : choice === 'mine';
  };
}

/** Fields to write: those that the editor has changed. All without `base`. */
export const changedFields = (fields: FormFields, texts: Texts): string[] =>
  namesIn(fields, texts).filter(mineIn(fields, texts));

export interface Difference {
  readonly name: string;
  readonly mine: string;
  readonly theirs: string;
  /** Whether the editor of the form has changed the field. */
  readonly isMine: boolean;
}

/** Fields that differ between a form and the object that another user has saved. */
export function differencesOf(fields: FormFields, mine: Texts, theirs: Texts): Difference[] {
  const isMine = mineIn(fields, mine);
  return namesIn(fields, { ...mine, ...theirs })
    .map((name) => ({
      name,
      mine: textOf(fields, mine, name),
      theirs: textOf(fields, theirs, name),
      isMine: isMine(name),
    }))
    .filter((difference) => difference.mine !== difference.theirs);
}

/** The form's texts over those of the stored object. Fields with the other version chosen are the stored ones. */
export function merged(stored: Texts, form: Texts): Record<string, string> {
  const isExtra = (key: string) => key.startsWith('extra-');
  const isTheirs = (key: string) => form[choiceOf(isExtra(key) ? 'extras' : key)] === 'theirs';
  const own = Object.entries(form).filter(([key, text]) => !isTheirs(key) && !(isChoice(key) && text === 'theirs'));
  const hasRows = own.some(([key]) => isExtra(key));
  return Object.fromEntries([...Object.entries(stored).filter(([key]) => !hasRows || !isExtra(key)), ...own]);
}

/** Names of texts that a form carries in hidden fields: all that it does not show. */
export function hiddenNames(fields: FormFields, texts: Texts): string[] {
  const isShown = (name: string) => Object.hasOwn(fields, name) || name.startsWith('extra-');
  return Object.keys(texts).filter((name) => !isShown(name) && !/^(_csrf_token|state)$/.test(name));
}

/** Hidden fields of a page that shows no text of the form for editing. */
export const carriedNames = (texts: Texts): string[] =>
  Object.keys(texts).filter((name) => !/^(_csrf_token|state)$/.test(name) && !isChoice(name));

/** Maximum nesting of a JSON text. Deeper values overflow the stack where they are written. */
const MAX_DEPTH = 100;

/** The value of a JSON text; undefined for other texts, infinite numbers and values that are nested too deep. */
export function jsonOf(text: string): unknown {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return value === Infinity || value === -Infinity ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The version that the editor read. Invalid texts lead to a conflict. */
export const versionOf = ({ version = '' }: Texts): number => (/^\d{1,9}$/.test(version) ? Number(version) : 0);

/** The input of a mutation: the named fields. An empty text is null; `always` lists those that keep it. */
export function inputOf(
  fields: FormFields,
  texts: Texts,
  names: readonly string[],
  always: readonly string[] = ['name', 'title'],
): Record<string, unknown> {
  const inputValue = (name: string): unknown => {
    if (fields[name]!.kind === 'extras') return extrasOf(texts);
    if (fields[name]!.kind === 'tags' || fields[name]!.kind === 'many') return tagsOf(texts[name]);
    const text = plain(texts[name] ?? '');
    return text || (always.includes(name) ? '' : null);
  };
  return Object.fromEntries(names.map((name) => [name, inputValue(name)]));
}
