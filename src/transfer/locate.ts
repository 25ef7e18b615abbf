/** Finds the local object that a record describes, by id, then by name. */
import { conflict } from '../kernel/errors.ts';
import { ACTIONS, type Kind } from './kinds.ts';
import { type ActionRunner, type Dictionary, find } from './perform.ts';

/** The object with exactly this id; null when missing. Does not match names. */
export async function findById(runner: ActionRunner, kind: Kind, id: unknown): Promise<Dictionary | null> {
  const { show, hide } = ACTIONS[kind];
  const found = await find(runner, show, id, hide);
  return found?.id === id ? found : null;
}

/** The object with exactly this name, including deleted ones; null when missing. */
export async function findByName(runner: ActionRunner, kind: Kind, name: unknown): Promise<Dictionary | null> {
  const { show, hide } = ACTIONS[kind];
  const found = await find(runner, show, name, hide);
  return found?.name === name ? found : null;
}

/**
 * The object a record describes; null when missing. The name is enough for a record without an id, or with `replace`.
 * @throws CatalogError CONFLICT when the record has an id and its name belongs to another object
 */
export async function locate(
  runner: ActionRunner,
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
