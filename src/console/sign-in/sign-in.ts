import { Hono } from 'hono';
import { z } from 'zod';
import { forgetSignInAttempts } from '../../ledger/access/sign-in-attempts.ts';
import { signInByPasskey, startOperatorAssertion } from '../../ledger/operators/passkeys.ts';
import { signInByPassword } from '../../ledger/operators/sign-in.ts';
import { actAs } from '../../platform/acting.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { jsonObject, validated } from '../http/validated.ts';
import { attemptSubjects, browserSource, codeSubject, countAttempt } from './browser-source.ts';
import { relyingParty } from './relying-party.ts';
import { signInByLink } from './sandbox-link.ts';
import { signInBrowser } from './session-cookie.ts';

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
