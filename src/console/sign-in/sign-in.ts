import { type Context, Hono } from 'hono';
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { hashSecret } from '../../ledger/access/applications/secrets.ts';
import { createSession } from '../../ledger/access/sessions.ts';
import { forgetSignInAttempts } from '../../ledger/access/sign-in-attempts.ts';
import { operatorSubject } from '../../ledger/access/subject.ts';
import { inTransaction } from '../../ledger/ledger.ts';
import { ensureOperator, lockOperator } from '../../ledger/operators/operators.ts';
import { signInByPasskey, startOperatorAssertion } from '../../ledger/operators/passkeys.ts';
import { signInByPassword } from '../../ledger/operators/sign-in.ts';
import { actAs } from '../../platform/acting.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { jsonObject, validated } from '../http/validated.ts';
import { attemptSubjects, browserSource, codeSubject, countAttempt } from '../http/browser-source.ts';
import { relyingParty } from './relying-party.ts';
import { signInBrowser } from '../http/session-cookie.ts';

/** The longest text of a field: no password of anybody is longer. */
const text = z.string().min(1).max(256);

const passkeyAnswer = z.object({ state: text, credential: jsonObject });

/** How operators sign in: by password and code, by a passkey, and in a sandbox by its link. */
export const signIn = new Hono<ConsoleEnv>()
  .post('/password', validated('json', z.object({ name: text, password: text, code: text })), async (context) => {
    const { ledger, sealer } = context.var;
    const credentials = context.req.valid('json');
    const subjects = attemptSubjects(context, credentials.name);
    await countAttempt(context, subjects);
    const session = await signInByPassword(ledger, sealer, credentials, browserSource(context), {
      beforeCode: (operator) => countAttempt(context, [codeSubject(operator)]),
    });
    if (session === undefined) throw failed('The name, the password or the code is not right');
    await forgetSignInAttempts(ledger, [...subjects, codeSubject(credentials.name)]);
    await signInBrowser(context, session);
    return context.json({ state: 'signed-in' as const }, 200);
  })
  .post('/passkey/options', async (context) => {
    await countAttempt(context, [{ kind: 'source', name: `console passkey ${browserSource(context).network}` }]);
    return context.json(await startOperatorAssertion(context.var.ledger, relyingParty(context)), 200);
  })
  .post('/passkey', validated('json', passkeyAnswer), async (context) => {
    const source = browserSource(context);
    const subject = { kind: 'source', name: `console passkey ${source.network}` } as const;
    const { state, credential } = context.req.valid('json');
    const session = await signInByPasskey(context.var.ledger, relyingParty(context), { state, answer: JSON.stringify(credential) }, source);
    if (session === undefined) throw failed('This passkey does not sign in to the console');
    await forgetSignInAttempts(context.var.ledger, [subject]);
    await signInBrowser(context, session);
    return context.json({ state: 'signed-in' as const }, 200);
  })
  .post('/link', validated('json', z.object({ secret: text })), async (context) => {
    const { correlationId } = context.var;
    const { secret } = context.req.valid('json');
    await actAs({ kind: 'operator', id: 'sandbox', correlationId }, () => signInByLink(context, secret));
    return context.json({ state: 'signed-in' as const }, 200);
  });

function failed(message: string): StopError {
  return new StopError({ code: 'sign_in_failed', message });
}

/** The administrator whom the link of a sandbox signs in. */
const sandboxOperator = { name: 'sandbox', role: 'administrator' } as const;

/**
 * Signs in by the secret of the link that `npm start` prints: in a sandbox alone, from its own machine, and for as long as this sandbox runs. Throws
 * `sign_in_failed`.
 */
async function signInByLink(context: Context<ConsoleEnv>, secret: string): Promise<void> {
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
