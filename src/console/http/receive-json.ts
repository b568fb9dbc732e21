import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { findOperatorSession } from '../../ledger/operators/sessions.ts';
import { StopError } from '../../platform/errors.ts';
import { utf8Problem } from '../../platform/http/utf8.ts';
import { openOwnLimitStore } from '../../platform/limits/rate-limit-store.ts';
import { createRateLimiter, RateLimited } from '../../platform/limits/rate-limiter.ts';
import { rateLimits } from '../../platform/settings.ts';
import type { ConsoleDependencies, ConsoleEnv, ConsoleMiddleware } from '../console-env.ts';
import { browserSource } from './browser-source.ts';
import { readSessionSecret } from './session-cookie.ts';

/** No action has a larger body. Files are received by routes that limit them themselves, behind the sign-in. */
const mostBytes = 1_048_576;

/** What somebody who is not signed in may send: a password, or the answer of a passkey, has some 2 kB. */
const mostAnonymousBytes = 16_384;

/**
 * Receives the whole JSON of a request before anything is decided: whoever holds the body back must not act by a session that has ended meanwhile.
 * Without a session it may be small, and any request to the API comes as often in a minute as `RATE_LIMITS` says from one network. Throws `body_too_large`, `rate_limited`,
 * and `invalid_request` when the sender breaks off or the JSON is not UTF-8.
 */
export function createJsonReceiver({ settings, ledger }: Pick<ConsoleDependencies, 'settings' | 'ledger'>): ConsoleMiddleware {
  const { address } = rateLimits(settings);
  const anonymous = createRateLimiter(openOwnLimitStore(address), address);

  async function mostBytesFor(context: Context<ConsoleEnv>): Promise<number> {
    const secret = readSessionSecret(context);
    if (secret !== undefined && (await findOperatorSession(ledger, secret)) !== undefined) return mostBytes;
    const waitMs = await anonymous.take(browserSource(context).network);
    if (waitMs > 0) throw new RateLimited('Too many requests without a session come from this network address', waitMs);
    return mostAnonymousBytes;
  }

  return async (context, next) => {
    if (context.req.path.startsWith('/api/')) {
      // Counted whatever it sends: what is not JSON is refused later, or received behind the sign-in.
      const maxSize = await mostBytesFor(context);
      if (context.req.header('Content-Type')?.startsWith('application/json') === true) await receive(context, maxSize);
    }
    await next();
  };
}

async function receive(context: Context<ConsoleEnv>, maxSize: number): Promise<void> {
  const limitBody = bodyLimit({
    maxSize,
    onError: () => {
      throw new StopError({ code: 'body_too_large', message: `The body is larger than ${maxSize} bytes` });
    },
  });
  try {
    await limitBody(context, async () => requireUtf8(await context.req.arrayBuffer()));
  } catch (error) {
    throw error instanceof StopError ? error : new StopError({ code: 'invalid_request', message: 'The body did not arrive whole' });
  }
}

function requireUtf8(body: ArrayBuffer): void {
  const problem = utf8Problem(body);
  if (problem !== undefined) throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields: { body: problem } });
}
