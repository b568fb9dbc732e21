import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../ledger/access/permissions.ts';
import { findCallers, type KnownCaller } from '../../ledger/access/access-tokens.ts';
import { hashSecret } from '../../ledger/access/applications/secrets.ts';
import { isDatabaseOutage } from '../../platform/database.ts';
import { StopError } from '../../platform/errors.ts';
import { groupCalls } from '../../platform/limits/grouped-calls.ts';
import type { ApiDependencies, ApiEnv, Middleware } from '../api.ts';
import { challengeBearer, notAuthenticated } from '../http/errors.ts';
import { clientNetwork } from './client-network.ts';

/**
 * How long a token is trusted without asking the ledger: a busy client saves the query, and a revoked token lives on no longer than this. What it could leave behind
 * that gives access asks the ledger ({@link withValidToken}).
 */
const trustMs = 3_000;

/** Tokens in the cache. */
const maxCachedTokens = 10_000;

/** Tokens of one query, and those that may wait for the next. A network address may have a quarter of these, so that its wrong tokens keep no others away. */
const mostTokens = { mostItems: 500, mostWaiting: 2_000 };

/** The token syntax of RFC 6750. */
const bearerHeader = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** SHA-256 of the bearer token of a request; `undefined` without a token. */
export function tokenHashOf(context: Context<ApiEnv>): Buffer | undefined {
  const token = bearerHeader.exec(context.req.header('Authorization') ?? '')?.[1];
  return token === undefined ? undefined : hashSecret(token);
}

/** Finds the caller of a request's bearer token; `undefined` without a valid one. */
export type Identify = (context: Context<ApiEnv>) => Promise<Caller | undefined>;

/** Requires `Authorization: Bearer <ACCESS_TOKEN>` and sets the caller (docs/api.md, Authentication). Throws `not_authenticated`. */
export function createBearer(identify: Identify): Middleware {
  return async (context, next) => {
    const caller = await identify(context);
    if (!caller) throw notAuthenticated(context);
    context.set('caller', caller);
    context.env?.proveSender?.(`application ${caller.application}`);
    await next();
    // The token has ended since it was looked up.
    if (context.error instanceof StopError && context.error.code === 'not_authenticated') challengeBearer(context, 'invalid_token');
  };
}

/**
 * Finds callers in the ledger, and for three seconds in the memory of this process. It asks the ledger for many tokens by one query at a time, so that
 * unknown tokens take no connections from other requests, however many come at once. Throws `rate_limited` when too many wait.
 */
export function createIdentify({ ledger, settings }: Pick<ApiDependencies, 'ledger' | 'settings'>, now: () => number = Date.now): Identify {
  const callers = new LRUCache<string, Caller>({ max: maxCachedTokens, perf: { now }, ttlResolution: 0 });
  const lookups = new Map<string, Promise<Caller | undefined>>();
  const findMany = groupCalls<Sent, KnownCaller | undefined>(
    (sent) =>
      findCallers(
        ledger,
        sent.map(({ hash }) => hash),
      ),
    {
      ...mostTokens,
      ownerOf: ({ address }) => address,
      concernsAll: isDatabaseOutage,
    },
  );
  const lookUp = async (key: string, sent: Sent): Promise<Caller | undefined> => {
    try {
      const known = await findMany(sent);
      if (!known) return undefined;
      const { expiresAt, ...caller } = known;
      const ttl = Math.min(trustMs, expiresAt.getTime() - now());
      if (ttl > 0) callers.set(key, caller, { ttl });
      return caller;
    } finally {
      lookups.delete(key);
    }
  };
  const find = async (context: Context<ApiEnv>): Promise<Caller | undefined> => {
    const hash = tokenHashOf(context);
    if (!hash) return undefined;
    const key = hash.toString('base64');
    const cached = callers.get(key);
    if (cached) return cached;
    const lookup = lookups.get(key) ?? lookUp(key, { hash, address: clientNetwork(context, settings.trustedProxies) });
    lookups.set(key, lookup);
    return lookup;
  };
  // A request is limited before its endpoint asks for the caller.
  const answers = new WeakMap<Context, Promise<Caller | undefined>>();
  return (context) => {
    const answer = answers.get(context) ?? find(context);
    answers.set(context, answer);
    return answer;
  };
}

/** A token, and the network address that it came from. */
interface Sent {
  hash: Buffer;
  address: string;
}
