import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { hashSecret } from '../../ledger/access/applications/secrets.ts';
import { createSession } from '../../ledger/access/sessions.ts';
import { operatorSubject } from '../../ledger/access/subject.ts';
import { inTransaction } from '../../ledger/ledger.ts';
import { ensureOperator, lockOperator } from '../../ledger/operators/operators.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { signInBrowser } from './session-cookie.ts';

/** The administrator whom the link of a sandbox signs in. */
const sandboxOperator = { name: 'sandbox', role: 'administrator' } as const;

/**
 * Signs in by the secret of the link that `npm start` prints: in a sandbox alone, from its own machine, and for as long as this sandbox runs. Throws
 * `sign_in_failed`.
 */
export async function signInByLink(context: Context<ConsoleEnv>, secret: string): Promise<void> {
  const { ledger, settings } = context.var;
  const isOwn = settings.environment === 'sandbox' && settings.consoleLink !== undefined && isEqual(secret, settings.consoleLink);
  if (!isOwn || !isLoopback(context))
    throw new StopError({ code: 'sign_in_failed', message: 'The link is not that of this sandbox: npm start prints a new one' });
  const session = await inTransaction(ledger, async (tx) => {
    await ensureOperator(tx, sandboxOperator);
    await lockOperator(tx, sandboxOperator.name);
    return createSession(tx, operatorSubject(sandboxOperator.name), { browser: 'link of the sandbox', network: 'loopback' });
  });
  await signInBrowser(context, session);
}

function isLoopback({ env }: Context<ConsoleEnv>): boolean {
  // Without a socket there is no environment, as in tests.
  const address = (env as Partial<ConsoleEnv['Bindings']> | undefined)?.incoming?.socket.remoteAddress ?? '127.0.0.1';
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Compares without telling by the time how much is right. */
function isEqual(left: string, right: string): boolean {
  return timingSafeEqual(hashSecret(left), hashSecret(right));
}
