import { Hono } from 'hono';
import { z } from 'zod';
import { isRecentlyProved } from '../../ledger/access/factors/recent-proofs.ts';
import { makeRecoveryCodes } from '../../ledger/access/factors/recovery-codes.ts';
import { startTotp, useTotpCode } from '../../ledger/access/factors/totp.ts';
import { hashPassword, setPassword } from '../../ledger/access/passwords.ts';
import { forgetSignInAttempts } from '../../ledger/access/sign-in-attempts.ts';
import { operatorSubject } from '../../ledger/access/subject.ts';
import { changeFactors, readFactors, removeOwnPasskey, requireApp, withProof } from '../../ledger/operators/own-factors.ts';
import { proveByPasskey, startOperatorAssertion, startOperatorRegistration } from '../../ledger/operators/passkeys.ts';
import { proveByPassword } from '../../ledger/operators/sign-in.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { jsonObject, validated } from '../http/validated.ts';
import { attemptSubjects, codeSubject, countAttempt } from '../http/browser-source.ts';
import { newPassword, registerPasskey, requireNoGuess, sentPasskey } from '../sign-in/new-factors.ts';
import { relyingParty } from '../sign-in/relying-party.ts';

const text = z.string().min(1).max(256);

/** How an operator who is signed in proves to have what they sign in with: a session alone may be stolen. Guesses count like those of a sign-in. */
const proof = new Hono<ConsoleEnv>()
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

/** What an operator signs in with, which they change by themselves. Every change takes a recent proof, and ends their other sessions. */
export const accountRoutes = new Hono<ConsoleEnv>()
  .get('/', async (context) => {
    const { ledger, operator } = context.var;
    const isProven = await isRecentlyProved(ledger, operator.session, 'operator');
    return context.json({ ...(await readFactors(ledger, operatorSubject(operator.name))), isProven }, 200);
  })
  .route('/proof', proof)
  .post('/password', validated('json', z.object({ password: newPassword })), async (context) => {
    const { ledger, operator } = context.var;
    const { password } = context.req.valid('json');
    await requireNoGuess(context, password, operator.name);
    const hash = await hashPassword(password);
    await changeFactors(ledger, operator, async (tx, subject) => {
      await requireApp(tx, subject);
      await setPassword(tx, subject, hash, 'change');
    });
    return context.json({}, 200);
  })
  .post('/app/seed', async (context) => {
    const { ledger, sealer, operator, settings } = context.var;
    const shown = { account: operator.name, service: `${settings.serviceName} console` };
    return context.json(await withProof(ledger, operator, (tx, subject) => startTotp(tx, sealer, { subject, ...shown })), 200);
  })
  .post('/app', validated('json', z.object({ code: z.string().max(16) })), async (context) => {
    const { ledger, sealer, operator } = context.var;
    const { code } = context.req.valid('json');
    await changeFactors(ledger, operator, async (tx, subject) => {
      if (await useTotpCode(tx, sealer, { subject, code, activates: true })) return;
      const fields = { code: 'is not the code that the new app shows now' };
      throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
    });
    return context.json({}, 200);
  })
  .post('/passkeys/options', async (context) => {
    const { ledger, operator } = context.var;
    return context.json(await startOperatorRegistration(ledger, relyingParty(context), operator), 200);
  })
  .post('/passkeys', validated('json', z.object(sentPasskey)), async (context) => {
    const { ledger, operator } = context.var;
    const sent = context.req.valid('json');
    await changeFactors(ledger, operator, (tx, subject) => registerPasskey(context, tx, subject, sent));
    return context.json({}, 200);
  })
  .post('/passkeys/:id/remove', validated('param', z.object({ id: z.uuid() })), async (context) => {
    const { ledger, operator } = context.var;
    const { id } = context.req.valid('param');
    await changeFactors(ledger, operator, (tx, subject) => removeOwnPasskey(tx, subject, id));
    return context.json({}, 200);
  })
  .post('/recovery-codes', async (context) => {
    const { ledger, operator } = context.var;
    return context.json({ recoveryCodes: await changeFactors(ledger, operator, makeRecoveryCodes) }, 200);
  });

function failed(message: string): StopError {
  return new StopError({ code: 'sign_in_failed', message });
}
