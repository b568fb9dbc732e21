import { Hono } from 'hono';
import { z } from 'zod';
import { forgetSignInAttempts } from '../../ledger/access/sign-in-attempts.ts';
import { proveByPasskey, startOperatorAssertion } from '../../ledger/operators/passkeys.ts';
import { proveByPassword } from '../../ledger/operators/sign-in.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { jsonObject, validated } from '../http/validated.ts';
import { attemptSubjects, codeSubject, countAttempt } from '../sign-in/browser-source.ts';
import { relyingParty } from '../sign-in/relying-party.ts';

const text = z.string().min(1).max(256);

/** How an operator who is signed in proves to have what they sign in with: a session alone may be stolen. Guesses count like those of a sign-in. */
export const proof = new Hono<ConsoleEnv>()
  .post('/password', validated('json', z.object({ password: text, code: text })), async (context) => {
    const { ledger, sealer, operator } = context.var;
    const subjects = attemptSubjects(context, operator.name);
    await countAttempt(context, subjects);
    const beforeCode = (name: string) => countAttempt(context, [codeSubject(name)]);
    if (!(await proveByPassword(ledger, sealer, { operator, ...context.req.valid('json') }, { beforeCode })))
      throw failed('The password or the code is not right');
    await forgetSignInAttempts(ledger, [...subjects, codeSubject(operator.name)]);
    return context.json({}, 200);
  })
  .post('/passkey/options', async (context) => {
    const { ledger, operator } = context.var;
    return context.json(await startOperatorAssertion(ledger, relyingParty(context), operator.name), 200);
  })
  .post('/passkey', validated('json', z.object({ state: text, credential: jsonObject })), async (context) => {
    const { ledger, operator } = context.var;
    const { state, credential } = context.req.valid('json');
    if (!(await proveByPasskey(ledger, relyingParty(context), operator, { state, answer: JSON.stringify(credential) })))
      throw failed('This is no passkey of yours');
    return context.json({}, 200);
  });

function failed(message: string): StopError {
  return new StopError({ code: 'sign_in_failed', message });
}
