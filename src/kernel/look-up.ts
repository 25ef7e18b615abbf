import { invalid, notFound } from './errors.ts';

/**
 * One object by exactly one of the arguments that name it. `id` is decoded, or the reference of a facade. `read` takes an id or a name, and
 * prefers ids; so that a name finds no object by its id, and the reverse, what it finds is compared.
 * @throws CatalogError VALIDATION for none or several; NOT_FOUND
 */
export async function lookUp<Found extends object | null>(
  by: Readonly<Record<string, string | null | undefined>>,
  read: (reference: string) => Promise<Found>,
): Promise<Found> {
  const given = Object.entries(by).filter((entry): entry is [string, string] => entry[1] != null);
  const [named] = given;
  if (!named || given.length > 1)
    throw invalid([
      {
        path: [],
        message: `Give exactly one of ${Object.keys(by)
          .join(', ')
          .replace(/, (?=\w+$)/, ' and ')}`,
      },
    ]);
  const [key, value] = named;
  const found = await read(value);
  const field = COMPARED[key];
  if (found && field && field in found && (found as Readonly<Record<string, unknown>>)[field] !== value)
    throw notFound();
  return found;
}

const COMPARED: Readonly<Record<string, string>> = { name: 'name', databaseId: 'id' };
