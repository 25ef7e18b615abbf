/** The HTTP application that facades are mounted on: each exports `mount(app, deps)`, and its own type says which parts it takes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import type { Endpoint } from './endpoint.ts';

/** An address whose connections can become WebSockets. */
export interface Upgrade {
  owns(url: string | undefined): boolean;
  /** Takes over the connection of a request, or refuses it. Never throws. */
  upgrade(req: IncomingMessage, connection: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

export interface Application {
  /** Answered in front of Express, which would only slow them down. */
  readonly endpoints: Endpoint[];
  readonly upgrades: Upgrade[];
  /** Answers everything else, in the order of mounting. */
  readonly web: Express;
  /** Paths of `/openapi.json` that are no actions. */
  readonly paths: Record<string, unknown>;
  /** The page that browsers get at `/graphql`. */
  graphqlPage: (req: IncomingMessage, res: ServerResponse) => void;
}

/** Parts that most facades take. */
export interface CommonDeps {
  readonly settings: Settings;
  readonly log: Logger;
  readonly run: RunOperation;
  readonly callers: {
    /** The call of a request. `anonymously`: without a look at its key or cookie. */
    callFor(req: IncomingMessage, anonymously?: boolean, formChecked?: boolean): Call | Promise<Call>;
  };
}
