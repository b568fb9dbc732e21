import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Pool } from 'pg';
import type { Histogram, Registry } from 'prom-client';
import type { Ledger } from '../ledger/ledger.ts';
import type { SignedInOperator } from '../ledger/operators/sessions.ts';
import type { Log } from '../platform/log.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { Settings } from '../platform/settings.ts';
import type { FileStorage } from '../platform/storage.ts';
import type { Live } from './live/live.ts';

/** What the console needs from outside; a test passes its own. */
export interface ConsoleDependencies {
  settings: Settings;
  ledger: Ledger;
  pool: Pool;
  log: Log;
  /** Encrypts secrets for the database. */
  sealer: Sealer;
  /** Stores the content of uploaded files. */
  files: FileStorage;
  /** Served on a port of their own. */
  metrics: ConsoleMetrics;
  /** Folder of the pages that `npm run build:console` builds. */
  bundle: string;
  /** Aborted when the process shuts down: ends what would otherwise never end. */
  closing: AbortSignal;
}

/** The metrics that the console records itself. */
export interface ConsoleMetrics {
  registry: Registry;
  /** Time of requests, by method, route and status. */
  requestSeconds: Histogram<'method' | 'route' | 'status'>;
}

/** What a room finds in `context.var`: the dependencies, and who asks. */
export interface ConsoleEnv {
  Bindings: HttpBindings;
  Variables: ConsoleDependencies & {
    live: Live;
    correlationId: string;
    /** Who is signed in. Every route behind `requireSession` has it, which is all of `/api` but the sign-in. */
    operator: SignedInOperator;
  };
}

/** A middleware of the console. */
export type ConsoleMiddleware = MiddlewareHandler<ConsoleEnv>;
