/** Serves `/openapi.json`. Generates it on the first request, and again when the site's title changes. */
import express, { type Router } from 'express';
import { JSON_TYPE } from '../../shared/http.ts';
import { type Packed, pack, sendPacked } from '../../shared/packed.ts';
import { type OpenapiOptions, openapiDocument } from './document.ts';

export function openapiRouter({
  title,
  ...options
}: Omit<OpenapiOptions, 'title'> & { readonly title: () => string }): Router {
  let made: { title: string; packed: Promise<Packed> } | undefined;
  return express.Router().get('/openapi.json', async (req, res) => {
    const now = title();
    if (made?.title !== now)
      made = { title: now, packed: pack(JSON_TYPE, JSON.stringify(openapiDocument({ ...options, title: now }))) };
    sendPacked(req, res, await made.packed, 'no-cache');
  });
}
