import type { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Pool } from 'pg';
import type { Caller } from '../ledger/access/permissions.ts';
import type { KeyClaim } from '../ledger/access/idempotency-keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ReadBalances } from '../indexed/balances.ts';
import type { FindIndexedRedemptions } from '../indexed/redemptions.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { FileStorage } from '../platform/storage.ts';
import type { Deliver } from '../webhooks/deliverer.ts';
import type { SwapDesk } from './swap/swap-desk.ts';

/** Everything the facade needs from outside, so that a test passes its own. */
export interface ApiDependencies {
  settings: Settings;
  ledger: Ledger;
  pool: Pool;
  log: Log;
  readBalances: ReadBalances;
  findIndexedRedemptions: FindIndexedRedemptions;
  /** Posts to the URLs of webhooks. */
  deliver: Deliver;
  /** The content of uploaded files. */
  files: FileStorage;
  /** Who quotes swaps; absent where they are not set up. */
  swap?: SwapDesk | undefined;
  /** Aborted when the process is asked to end: what would go on for ever ends then. */
  closing: AbortSignal;
  /** What `/health/ready` checks beside the database. */
  checks: HealthCheck[];
}

export interface HealthCheck {
  name: string;
  check: () => Promise<{ ok: boolean; detail?: string }>;
}

/** What the middlewares put beside a request. */
export interface ApiEnv {
  Bindings: HttpBindings;
  Variables: {
    correlationId: string;
    caller: Caller;
    /** Of a request with an idempotency key. */
    claim?: KeyClaim;
  };
}

export type Api = OpenAPIHono<ApiEnv>;
export type Middleware = MiddlewareHandler<ApiEnv>;

/** The middlewares that stand before a part's endpoints, by who may call them (docs/api.md, Authentication). */
export interface Guards {
  anyone: Middleware[];
  caller: Middleware[];
  /** As `caller`, for a stream of events. */
  stream: Middleware[];
  partner: Middleware[];
  /** Whitelabel and private applications. */
  server: Middleware[];
}

/** The endpoints of one kind of resource: adds them to the facade. */
export type Part = (api: Api, deps: ApiDependencies, guards: Guards) => void;
