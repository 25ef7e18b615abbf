/** Finds the local object that a record describes, by id, then by name. */
import { conflict } from '../kernel/errors.ts';
import { type Dictionary, findRecord, type RecordRunner } from './gateway.ts';
import type { Kind } from './kinds.ts';

/** The object with exactly this id; null when missing. Does not match names. */
export async function findById(runner: RecordRunner, kind: Kind, id: unknown): Promise<Dictionary | null> {
  const found = await findRecord(runner, kind, id);
  return found?.id === id ? found : null;
}

/** The object with exactly this name, including deleted ones; null when missing. */
export async function findByName(runner: RecordRunner, kind: Kind, name: unknown): Promise<Dictionary | null> {
  const found = await findRecord(runner, kind, name);
  return found?.name === name ? found : null;
}

/**
 * The object a record describes; null when missing. The name is enough for a record without an id, or with `replace`.
 * @throws CatalogError CONFLICT when the record has an id and its name belongs to another object
 */
export async function locate(
  runner: RecordRunner,
  kind: Kind,
  { id, name }: Dictionary,
  replace: boolean,
): Promise<Dictionary | null> {
  const own = await findById(runner, kind, id);
  if (own) return own;
  const bearer = await findByName(runner, kind, name);
  const hasId = id !== undefined && id !== null && id !== '';
  if (!bearer || !hasId || replace) return bearer;
  const state = bearer.state === 'deleted' ? 'deleted ' : '';
  throw conflict(
    `the name belongs to another ${state}${kind}, with the id ${bearer.id}. Nothing was written. To change that ${kind}, import with replace.`,
  );
}
