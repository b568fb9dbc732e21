import type { Context } from 'hono';
import type { Caller } from '../../ledger/access/permissions.ts';
import { findCaller } from '../../ledger/access/access-tokens.ts';
import { hashSecret } from '../../ledger/access/applications.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ApiEnv, Middleware } from '../api.ts';
import { notAuthenticated } from '../http/errors.ts';

/** How long a token is trusted without asking the ledger again: a busy client saves its query, a revoked token lives on this long at most. */
const trustedMs = 3_000;

/** Tokens remembered at once; the oldest is forgotten first. */
const rememberedTokens = 10_000;

/** Only what RFC 6750 allows in a token. */
const bearerHeader = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** SHA-256 of the bearer token of a request, if it has one. */
export function tokenHashOf(context: Context<ApiEnv>): Buffer | undefined {
  const token = bearerHeader.exec(context.req.header('Authorization') ?? '')?.[1];
  return token === undefined ? undefined : hashSecret(token);
}

/** Requires `Authorization: Bearer <ACCESS_TOKEN>` and finds out who calls (docs/api.md, Authentication). */
export function createBearer(ledger: Ledger, now: () => number = Date.now): Middleware {
  const remembered = new Map<string, { caller: Caller; until: number }>();
  const identify = async (hash: Buffer): Promise<Caller | undefined> => {
    const key = hash.toString('base64');
    const known = remembered.get(key);
    if (known && known.until > now()) return known.caller;
    remembered.delete(key);
    const found = await findCaller(ledger, hash);
    if (!found) return undefined;
    const { expiresAt, ...caller } = found;
    if (remembered.size >= rememberedTokens) remembered.delete(remembered.keys().next().value as string);
    remembered.set(key, { caller, until: Math.min(now() + trustedMs, expiresAt.getTime()) });
    return caller;
  };
  return async (context, next) => {
    const hash = tokenHashOf(context);
    const caller = hash && (await identify(hash));
    if (!caller) throw notAuthenticated();
    context.set('caller', caller);
    await next();
  };
}
