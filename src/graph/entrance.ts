/**
 * The way in for operations from outside, one for all doors of the graph: which document is asked for, whether its caller may have it
 * run, and what it comes to. Nothing is run here.
 */
import type { GraphQLSchema } from 'graphql';
import type { Call } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import { notAuthorized } from '../kernel/errors.ts';
import { createDocuments, type Documents, type OpenDocument } from './documents.ts';
import { type Admitted, createGate, type Gate } from './gate.ts';
import type { Variables } from './list-size.ts';
import { createPersisted, type Wanted } from './persisted.ts';
import { loadTrusted } from './trusted.ts';

/** What is asked for: a document in one of the ways to name it, and how to run it. */
export interface Asked extends Wanted {
  readonly operationName: string | null;
  readonly variables: Variables | null;
}

/** An operation that may be run. */
export interface Entered {
  readonly text: string;
  readonly opened: OpenDocument;
  /** Null where the document has no operation of that name, or several and none is named: running it says so. */
  readonly admitted: Admitted | null;
}

export interface Entrance {
  /** Documents that were let in, or are ours. */
  readonly documents: Documents;
  readonly gate: Gate;
  /**
   * Lets an operation in. @throws UnknownDocument; InvalidDocument; CatalogError LIMIT, NOT_AUTHORIZED where visitors run trusted
   * documents only, VALIDATION for a text that cannot be stored
   */
  enter(asked: Asked, caller: Call): Entered;
}

const UNTRUSTED =
  'anonymous visitors may run only trusted documents on this site (catalog.graphql.trusted_only); send a documentId';

/** @throws Error for a manifest of trusted documents that cannot be read (catalog.graphql.documents) */
export function createEntrance(schema: GraphQLSchema, settings: Settings): Entrance {
  const documents = createDocuments(schema);
  const gate = createGate(schema, settings);
  const find = createPersisted(loadTrusted(settings['catalog.graphql.documents'], schema));
  const trustedOnly = settings['catalog.graphql.trusted_only'];

  return {
    documents,
    gate,
    enter(asked, { actor }) {
      const found = find(asked);
      if (!found.isTrusted && trustedOnly && actor.userId === null) throw notAuthorized(UNTRUSTED);
      const opened = documents.open(found.text);
      found.keep();
      return {
        text: found.text,
        opened,
        admitted: gate.admit(opened, asked.operationName, asked.variables ?? {}),
      };
    },
  };
}
