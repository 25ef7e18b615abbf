/** Fields of the dataset form that a declared type adds: from its JSON Schema, and to the input of a mutation. */
import { isObject } from '../../../src/kernel/json.ts';
import { type FormField, type FormFields, jsonOf, plain, type Texts } from './form-texts.ts';
import type { Texts as Messages } from './texts.ts';
import { ownName } from './view-form.ts';

export interface DatasetType {
  readonly name: string;
  readonly schema: unknown;
}

/** The parts of a JSON Schema that decide how a field looks. */
interface Property {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Property;
}

/** Maximum fields in a form. Others keep their values. */
const MAX_FIELDS = 300;

const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Declared fields of a type; empty for a type that is not declared. */
function propertiesOf(types: readonly DatasetType[], type: string | undefined): [string, Property][] {
  const { properties } = objectOf(types.find(({ name }) => name === type)?.schema);
  return Object.entries(objectOf(properties))
    .slice(0, MAX_FIELDS)
    .map(([name, property]) => [name, objectOf(property)]);
}

/** The type of a value. A field that can also be null is an optional one. */
const typeOf = ({ type }: Property): string => [type ?? 'string'].flat().find((one) => one !== 'null') ?? 'string';
const isPlain = (property: Property): boolean => ['string', 'number', 'integer', 'boolean'].includes(typeOf(property));
const isList = ({ items = {}, ...property }: Property): boolean => typeOf(property) === 'array' && isPlain(items);

export function typeFields(
  types: readonly DatasetType[],
  texts: Texts,
  t: Messages['t'],
  labelOf: (name: string) => string,
): FormFields {
  const { required } = objectOf(types.find(({ name }) => name === texts.type)?.schema);
  return Object.fromEntries(
    propertiesOf(types, texts.type).map(([name, property]) => {
      const isRequired = Array.isArray(required) && required.includes(name);
      const hints = [isRequired && t('fields.required'), property.description, hintOf(property, t)];
      const hint = hints.filter(Boolean).join(' ');
      const common = { label: property.title || labelOf(name), required: isRequired, ...(hint && { hint }) };
      return [ownName(name), { ...common, ...lookOf(property, texts[ownName(name)] ?? '', t) }];
    }),
  );
}

function hintOf(property: Property, t: Messages['t']): string {
  if (isList(property)) {
    const choices = property.items?.enum?.map(String).join(', ');
    return choices ? `${t('views.lines')} ${t('fields.oneOf', { choices })}` : t('views.lines');
  }
  return isPlain(property) || property.enum ? '' : t('fields.json');
}

/** The kind of the field. A text of several lines, or an invalid date, is shown as it is. */
function lookOf(property: Property, text: string, t: Messages['t']): Partial<FormField> {
  const options = optionsOf(property, t);
  if (options) return { kind: 'choice', options: { '': t('views.given'), ...options } };
  if (!isPlain(property) || text.includes('\n')) return { kind: 'area', rows: 3 };
  return property.format === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(text) ? { kind: 'date' } : {};
}

function optionsOf(property: Property, t: Messages['t']): Record<string, string> | null {
  if (property.enum)
    return Object.fromEntries(property.enum.filter((one) => one !== null).map((one) => [textOf(one), textOf(one)]));
  return typeOf(property) === 'boolean' ? { true: t('views.yes'), false: t('views.no') } : null;
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Texts of the form for stored fields. */
export const typeTexts = (types: readonly DatasetType[], type: string, fields: unknown): Record<string, string> => {
  const stored = new Map(Object.entries(objectOf(fields)));
  return Object.fromEntries(
    propertiesOf(types, type).map(([name, property]) => {
      const value = stored.get(name) ?? '';
      const isLines = isList(property) && Array.isArray(value);
      return [ownName(name), isLines ? value.map(textOf).join('\n') : textOf(value)];
    }),
  );
};

/** The input `fields`: those of `names`. A text that does not fit the type is sent as it is, and refused beside its field. */
export function typeInput(
  types: readonly DatasetType[],
  texts: Texts,
  names: readonly string[],
): Record<string, unknown> {
  const changed = propertiesOf(types, texts.type).filter(([name]) => names.includes(ownName(name)));
  return Object.fromEntries(
    changed.map(([name, property]) => {
      const text = plain(texts[ownName(name)] ?? '');
      if (!text) return [name, null];
      if (!isList(property)) return [name, readValue(property, text)];
      const lines = text.split('\n').map((line) => line.trim());
      return [name, lines.filter(Boolean).map((line) => readValue(property.items ?? {}, line))];
    }),
  );
}

function readValue(property: Property, text: string): unknown {
  const listed = property.enum?.find((one) => textOf(one) === text);
  if (listed !== undefined) return listed;
  if (typeOf(property) === 'string') return text;
  const value = jsonOf(text);
  return value === undefined ? text : value;
}
