import type { DocumentNode } from 'graphql';

export function publicDocument(document: DocumentNode): DocumentNode;
export function fullDocument(document: DocumentNode): DocumentNode;
export function contractElements(
  document: DocumentNode,
): { path: string; node: { description?: { value: string } }; reason: string }[];
