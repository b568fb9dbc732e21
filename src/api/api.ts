import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler, TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';
import type { Pool } from 'pg';
import type { Histogram, Registry } from 'prom-client';
import type { Caller } from '../ledger/access/permissions.ts';
import type { KeyClaim } from '../ledger/access/idempotency-keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Page } from '../ledger/page.ts';
import type { ReadBalances } from '../indexed/balances.ts';
import type { ReadOpening } from '../indexed/opening-balance.ts';
import type { PlaceRedemption } from '../ledger/orders/placement/place-redemptions.ts';
import type { ReadHoldings } from '../ledger/orders/placement/redemption-request.ts';
import type { RetryError } from '../platform/errors.ts';
import type { AppBindings } from '../platform/http/app-server.ts';
import type { Log } from '../platform/log.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { Settings } from '../platform/settings.ts';
import type { FileStorage } from '../platform/storage.ts';
import type { Deliver } from '../webhooks/deliverer.ts';
import type { ProxyWatch } from './proxy-watch.ts';
import type { SwapMaker } from './swap-maker.ts';

/** What the API needs from outside; a test passes its own. */
export interface ApiDependencies {
  settings: Settings;
  ledger: Ledger;
  pool: Pool;
  log: Log;
  /** Served on a port of their own. */
  metrics: ApiMetrics;
  readBalances: ReadBalances;
  readOpening: ReadOpening;
  readHoldings: ReadHoldings;
  /** Places redemptions in groups. */
  placeRedemption: PlaceRedemption;
  /** Whether payments to banks can be made. */
  payoutOutage: PayoutOutage;
  /** Encrypts secrets for the database. */
  sealer: Sealer;
  /** Sends deliveries to webhook URLs. */
  deliver: Deliver;
  /** Compares `TRUST_PROXY` with what requests say. */
  proxies: ProxyWatch;
  /** Stores the content of uploaded files. */
  files: FileStorage;
  /** Quotes swaps; absent where the operator has not configured them. */
  swap?: SwapMaker | undefined;
  /** Aborted when the process shuts down: ends what would otherwise never end. */
  closing: AbortSignal;
}

/** Says why no payment to a bank could be made now; undefined where one could. Throws what is an outage of the database. */
export type PayoutOutage = () => Promise<RetryError | undefined>;

/** The metrics of an API process; `requestSeconds` is how long each request took. */
export interface ApiMetrics {
  registry: Registry;
  requestSeconds: Histogram<'method' | 'route' | 'status'>;
}

/** What middlewares attach to a request. */
export interface ApiEnv {
  Bindings: AppBindings;
  Variables: {
    correlationId: string;
    caller: Caller;
    /** The application that a request to an endpoint of OAuth names; nobody has verified that it sent it. */
    clientId?: string | undefined;
    /** The claim on the idempotency key of a request that has one. */
    claim?: KeyClaim;
    /** The order in whose trace the request is; the trace begins with the request that placed it. */
    traced?: { order: string; isNew: boolean };
  };
}

/** The application that the endpoints are added to, with what middlewares attach to a request. */
export type Api = OpenAPIHono<ApiEnv>;
/** A middleware of the {@link Api}. */
export type Middleware = MiddlewareHandler<ApiEnv>;

/** The middlewares before an endpoint, by who may call it (docs/api.md, Authentication). */
export interface Guards {
  anyone: Middleware[];
  caller: Middleware[];
  /** The same as `caller`, for a stream of events. */
  stream: Middleware[];
  partner: Middleware[];
  /** Whitelabel and private applications. */
  server: Middleware[];
}

/** Answers with a page of a list: its items under their name, `total`, whether that is an estimate, what is given besides, and a `Link` to the next page (docs/api.md, Paging; RFC 8288). */
export type AnswerList = <const Name extends string, Row, Item>(
  context: Context<ApiEnv>,
  name: Name,
  page: Page<Row>,
  render: (row: Row) => Item,
  besides?: object,
) => Promise<ListResponse<Name, Item>>;

/** The answer to a request for a list. */
export type ListResponse<Name extends string, Item> = Response &
  TypedResponse<JSONParsed<Record<Name, Item[]> & { total: number; totalIsEstimate?: true | undefined }>, 200, 'json'>;

/** What endpoints need: what comes from outside, and what they share. */
interface RouteDependencies extends ApiDependencies {
  answerList: AnswerList;
}

/** Adds the endpoints of one kind of resource to the API. */
export type AddRoutes = (api: Api, deps: RouteDependencies, guards: Guards) => void;
