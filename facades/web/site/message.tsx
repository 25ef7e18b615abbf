/** Pages with a single message: not found, refused, done. */
import type { ComponentChildren } from 'preact';
import type { CatalogError, ErrorKind } from '../../../src/kernel/errors.ts';
import { type Frame, Layout } from './layout.tsx';

/** `details`: in English, from the graph. */
export const messagePage = (frame: Frame, title: string, text: ComponentChildren, details = '') => (
  <Layout frame={frame} title={title}>
    <h1>{title}</h1>
    {text && <p>{text}</p>}
    {details && (
      <p class="hint" lang="en">
        {details}
      </p>
    )}
  </Layout>
);

/** Errors whose message says no more than the text of their kind. */
const PLAIN: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['NOT_FOUND', 'NOT_AUTHORIZED', 'UNAVAILABLE', 'RATE_LIMIT']);

export const errorPage = (frame: Frame, { kind, message }: CatalogError) =>
  messagePage(
    frame,
    frame.texts.t(`error.${kind}`),
    frame.texts.t(`error.${kind}_text`),
    PLAIN.has(kind) ? '' : message,
  );
