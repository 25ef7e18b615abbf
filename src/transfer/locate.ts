/** Finds the object here that a record describes: the one of its id, else the one of its name. */
import { conflict } from '../kernel/errors.ts';
import { ACTIONS, type Kind } from './kinds.ts';
import { type Dictionary, type Door, find } from './perform.ts';

/** The object of exactly this id; null when there is none. An id that is another object's name finds nothing. */
export async function findById(door: Door, kind: Kind, id: unknown): Promise<Dictionary | null> {
  const { show, hide } = ACTIONS[kind];
  const found = await find(door, show, id, hide);
  return found?.id === id ? found : null;
}

/** The object of exactly this name, deleted ones included; null when there is none. */
export async function findByName(door: Door, kind: Kind, name: unknown): Promise<Dictionary | null> {
  const { show, hide } = ACTIONS[kind];
  const found = await find(door, show, name, hide);
  return found?.name === name ? found : null;
}

/**
 * What a record describes; null where that is not here yet. The name alone is enough for a record without an id, or with `replace`.
 * @throws CatalogError CONFLICT when the record has an id and its name is that of another object
 */
export async function locate(
  door: Door,
  kind: Kind,
  { id, name }: Dictionary,
  replace: boolean,
): Promise<Dictionary | null> {
  const own = await findById(door, kind, id);
  if (own) return own;
  const bearer = await findByName(door, kind, name);
  const hasId = id !== undefined && id !== null && id !== '';
  if (!bearer || !hasId || replace) return bearer;
  const state = bearer.state === 'deleted' ? 'deleted ' : '';
  throw conflict(
    `the name belongs to another ${state}${kind}, with the id ${bearer.id}. Nothing was written. To change that ${kind}, import with replace.`,
  );
}
