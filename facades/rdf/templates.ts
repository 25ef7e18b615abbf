/** Loads the site's mapping modules (catalog.extra_template_paths): a list adds rows to a table, a function returns its new rows. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mapping, Reader, Row, Table, Tables } from './mapping.ts';
import * as readers from './readers.ts';
import { TABLES } from './tables/index.ts';
import { factory, literal, name, type Term } from './terms.ts';
import { isXmlName } from './write/rdfxml.ts';

/** The argument of module functions. */
const KIT = { ...readers, factory, name };

/** Readers that rows may refer to by name. */
const NAMED: ReadonlyMap<string, Reader> = new Map([
  ['text', readers.text],
  ['texts', readers.texts],
  ['translations', readers.translations],
  ['address', readers.address],
  ['addresses', readers.addresses],
  ['mail', readers.mail],
  ['date', readers.date],
  ['duration', readers.duration],
  ['decimal', readers.decimal],
  ['language', readers.each(readers.language)],
]);

/** The tables after applying all modules in order. @throws Error that names the module and the problem */
export async function loadTables(paths: readonly string[]): Promise<Tables> {
  let tables = TABLES;
  for (const path of paths) {
    const file = resolve(path);
    try {
      const { default: said } = (await import(pathToFileURL(file).href)) as { default?: unknown };
      tables = changed(tables, said);
    } catch (thrown) {
      throw new Error(`catalog.extra_template_paths: ${file}: ${(thrown as Error).message}`, { cause: thrown });
    }
  }
  return tables;
}

/** @throws Error for an invalid mapping */
export function changed(tables: Tables, said: unknown): Tables {
  if (typeof said !== 'object' || said === null) throw new Error('the default export must be an object of tables');
  const result: Record<string, Table> = { ...tables };
  for (const [table, change] of Object.entries(said)) {
    const before = result[table];
    if (!before) throw new Error(`there is no table ${table}; there are: ${Object.keys(tables).join(', ')}`);
    const own = before.rows.filter(([, , reader]) => reader !== readers.others);
    const said = typeof change === 'function' ? change(own, KIT) : change;
    if (!Array.isArray(said)) throw new Error(`${table} must be a list of rows, or a function that returns one`);
    const rows = said.map((row, index) => checked(row, `${table}, row ${index + 1}`));
    const last = before.rows.filter(([, , reader]) => reader === readers.others); // its content depends on all other rows
    result[table] = { ...before, rows: [...(typeof change === 'function' ? [] : own), ...rows, ...last] };
  }
  return result as unknown as Tables;
}

function checked(row: unknown, where: string): Row {
  if (!Array.isArray(row) || row.length !== 3) throw new Error(`${where}: must be [fields, predicate, reader]`);
  const [fields, predicate, reader] = row as unknown[];
  const areFields = [fields].flat().every((field) => typeof field === 'string');
  if (!areFields) throw new Error(`${where}: fields must be a field name, or a list of field names`);
  if (typeof predicate !== 'string') throw new Error(`${where}: the predicate must be a string such as dct:title`);
  try {
    if (!isXmlName(name(predicate).value)) throw new Error(`${predicate}: RDF/XML has no name for this predicate`);
  } catch (thrown) {
    throw new Error(`${where}: ${(thrown as Error).message}`);
  }
  const found = typeof reader === 'function' ? guarded(reader as Reader, where) : NAMED.get(String(reader));
  if (!found)
    throw new Error(`${where}: there is no reader ${String(reader)}; there are: ${[...NAMED.keys()].join(', ')}`);
  return [fields as Row[0], predicate as Row[1], found];
}

/** Keeps built-in readers. For others, converts text to literals, and reports values that are not terms as an error of the module. */
function guarded(reader: Reader, where: string): Reader {
  if (OWN.has(reader)) return reader;
  return (value, mapping: Mapping) =>
    [reader(value, mapping)].flat().map((made: unknown): Term => {
      if (typeof made === 'string') return literal(made);
      if (typeof made === 'object' && made !== null && 'termType' in made) return made as Term;
      throw new Error(`extra template, ${where}: the reader must return strings or RDF terms`);
    });
}

const OWN: ReadonlySet<Reader> = new Set(
  Object.values(TABLES).flatMap((table: Table) => table.rows.map(([, , reader]) => reader)),
);
