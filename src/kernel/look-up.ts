import { invalid, notFound } from './errors.ts';

/**
 * One object by exactly one of the arguments that name it. `id` is decoded, or the reference of a facade. `read` takes an id or a name, and
 * prefers ids; so that a name finds no object by its id, and the reverse, what it finds is compared. `readNamed` reads by name alone.
 * @throws CatalogError VALIDATION for none or several; NOT_FOUND
 */
export async function lookUp<Found extends object | null>(
  by: Readonly<Record<string, string | null | undefined>>,
  read: (reference: string) => Promise<Found>,
  readNamed?: (name: string) => Promise<Found>,
): Promise<Found> {
  let key: string | undefined;
  let isAmbiguous = false;
  for (const name in by) {
    if (by[name] == null) continue;
    isAmbiguous = key !== undefined;
    key = name;
  }
  if (key === undefined || isAmbiguous) throw invalid([{ path: [], message: `Give exactly one of ${listOf(by)}` }]);
  const value = by[key] as string;
  if (key === 'name' && readNamed) return readNamed(value);
  const found = await read(value);
  const field = COMPARED[key];
  if (found && field && field in found && (found as Readonly<Record<string, unknown>>)[field] !== value)
    throw notFound();
  return found;
}

const COMPARED: Readonly<Record<string, string>> = { name: 'name', databaseId: 'id' };

const listOf = (by: object): string =>
  Object.keys(by)
    .join(', ')
    .replace(/, (?=\w+$)/, ' and ');
