/** Writes sort keys as SQL: a stable order, and the condition for rows after a cursor. */
import { invalidCursor } from '../../kernel/connection.ts';
import type { WishedPage } from '../engine.ts';
import type { ExactField } from '../query/fields.ts';
import type { SortKey } from '../query/sort.ts';
import { valueFieldText } from './where.ts';
import { columnText, type Writing } from './writing.ts';

/** A key in SQL. Never null, so that positions are comparable. */
export interface Key {
  readonly text: string;
  readonly descending: boolean;
  readonly type: KeyType;
}

export type KeyType = 'float8' | 'text' | 'bigint' | 'micros';

/** The last key is the dataset's number, which keeps ties stable. */
export function keysOf(sort: readonly SortKey[], scoreOf: () => string | null, writing: Writing): Key[] {
  const keys = sort.flatMap(({ by, descending }): Key[] => {
    if (by === 'score') {
      const text = scoreOf();
      return text === null ? [] : [{ text, descending, type: 'float8' }];
    }
    return fieldKeys(by, descending, writing);
  });
  return [...keys, { text: 's.number', descending: false, type: 'bigint' }];
}

/** Datasets without a value come last in both directions. */
function fieldKeys(field: ExactField, descending: boolean, writing: Writing): Key[] {
  const nullable = (text: string): Key[] => [
    { text: `(${text} IS NULL)::int`, descending: false, type: 'bigint' },
    { text: `COALESCE(${text}, '') COLLATE "C"`, descending, type: 'text' },
  ];
  switch (field.kind) {
    case 'constant':
      return [];
    case 'column': {
      const text = columnText(field.of, writing);
      if (field.type === 'instant') return [{ text, descending, type: 'micros' }];
      if (field.type === 'int') return [{ text, descending, type: 'bigint' }];
      return /^s\.(name|title|dataset_id)$/.test(text)
        ? [{ text: `${text} COLLATE "C"`, descending, type: 'text' }]
        : nullable(text);
    }
    case 'extra':
      return nullable(
        `(SELECT e.value FROM dataset_extra e WHERE e.dataset_id = s.dataset_id AND e.key = ${writing.values.bind(field.of)})`,
      );
    default:
      return nullable(
        `(SELECT k.value FROM search_value k WHERE k.field = ${valueFieldText(field as Extract<ExactField, { kind: 'value' }>, writing)} AND k.code = ANY (s.facets) LIMIT 1)`,
      );
  }
}

/** The keys in reading order. */
export const inReadingOrder = <K extends { readonly descending: boolean }>(
  keys: readonly K[],
  { backward = false }: WishedPage,
): K[] => keys.map((key) => ({ ...key, descending: key.descending !== backward }));

export const orderText = (names: readonly string[], keys: readonly Key[]): string =>
  keys.map(({ descending }, index) => `${names[index]}${descending ? ' DESC' : ''}`).join(', ');

/** A key as stored in a cursor. */
export const outText = (name: string, { type }: Key): string =>
  type === 'micros' ? `(extract(epoch FROM ${name}) * 1000000)::bigint::text` : `${name}::text`;

/** Valid forms of cursor values, so that PostgreSQL can parse every value a client sends. */
const FORMS: Readonly<Record<KeyType, (value: string) => boolean>> = {
  text: (value) => !value.includes('\0') && value.isWellFormed(),
  bigint: (value) => /^-?\d{1,17}$/.test(value),
  micros: (value) => /^(-\d{1,16}|\d{1,17})$/.test(value),
  float8: (value) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value) && Number.isFinite(Number(value)),
};

/** Checks that a cursor has a valid value for each key type. @throws CatalogError VALIDATION */
export function checkCursor(types: readonly KeyType[], { after, backward }: WishedPage): void {
  if (after?.length !== types.length || types.some((type, index) => !FORMS[type](after[index]!)))
    throw invalidCursor({ backward });
}

/** A cursor value in the key's type. */
const inText = (value: string, { type }: Key, { values }: Writing): string => {
  if (type === 'micros') return `(to_timestamp(0) + ${values.bind(value, 'bigint')} * interval '1 microsecond')`;
  return type === 'text' ? `${values.bind(value, 'text')} COLLATE "C"` : values.bind(value, type);
};

/** SQL condition for rows after the cursor's position. @throws CatalogError VALIDATION for values that are not a position in this order */
export function afterText(names: readonly string[], keys: readonly Key[], page: WishedPage, writing: Writing): string {
  checkCursor(
    keys.map(({ type }) => type),
    page,
  );
  const after = page.after!;
  const positions = keys.map((key, index) => inText(after[index]!, key, writing));
  const [first] = keys;
  const steps = keys.map((key, index) => {
    const equal = keys.slice(0, index).map((_key, before) => `${names[before]} = ${positions[before]}`);
    return `(${[...equal, `${names[index]} ${key.descending ? '<' : '>'} ${positions[index]}`].join(' AND ')})`;
  });
  // The first condition lets an index scan start at the position.
  return `${names[0]} ${first!.descending ? '<=' : '>='} ${positions[0]} AND (${steps.join(' OR ')})`;
}
