/** Types of the HTTP application. Each facade exports `mount(app, deps)`, and declares the type of its `deps`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import type { Endpoint } from './endpoint.ts';

/** A path that supports WebSockets. */
export interface Upgrade {
  owns(url: string | undefined): boolean;
  /** Upgrades the connection of a request, or refuses it. Never throws. */
  upgrade(req: IncomingMessage, connection: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

export interface Application {
  /** Endpoints handled before Express, which would only slow them down. */
  readonly endpoints: Endpoint[];
  readonly upgrades: Upgrade[];
  /** Handles all other requests, in the order of mounting. */
  readonly web: Express;
  /** Paths in `/openapi.json` other than actions. */
  readonly paths: Record<string, unknown>;
  /** Sends the page for browsers at `/graphql`. */
  graphqlPage: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
}

/** Dependencies of most facades. */
export interface CommonDeps {
  readonly settings: Settings;
  readonly log: Logger;
  readonly run: RunOperation;
  readonly callers: {
    /** The call of a request. `anonymously`: ignores its key and cookie. */
    callFor(req: IncomingMessage, anonymously?: boolean, formChecked?: boolean): Call | Promise<Call>;
  };
}
