import { Hono } from 'hono';
import { z } from 'zod';
import { hashPassword } from '../../ledger/access/passwords.ts';
import {
  changeFactors,
  makeRecoveryCodes,
  offerSeed,
  readFactors,
  removePasskey,
  replaceApp,
  requireApp,
  setPassword,
} from '../../ledger/operators/own-factors.ts';
import { finishOperatorRegistration, startOperatorRegistration } from '../../ledger/operators/passkeys.ts';
import { hasProof } from '../../ledger/operators/sessions.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { newPassword, requireNoGuess, sentPasskey } from '../sign-in/new-factors.ts';
import { relyingParty } from '../sign-in/relying-party.ts';
import { proof } from './proof.ts';

/** What an operator signs in with, which they change by themselves. Every change takes a recent proof, and ends their other sessions. */
export const accountRoutes = new Hono<ConsoleEnv>()
  .get('/', async (context) => {
    const { ledger, operator } = context.var;
    return context.json({ ...(await readFactors(ledger, operator.name)), isProven: await hasProof(ledger, operator) }, 200);
  })
  .route('/proof', proof)
  .post('/password', validated('json', z.object({ password: newPassword })), async (context) => {
    const { ledger, operator } = context.var;
    const { password } = context.req.valid('json');
    await requireNoGuess(context, password, operator.name);
    const hash = await hashPassword(password);
    await changeFactors(ledger, operator, async (tx, name) => {
      await requireApp(tx, name);
      await setPassword(tx, name, hash);
    });
    return context.json({}, 200);
  })
  .post('/app/seed', async (context) => {
    const { sealer, operator, settings } = context.var;
    return context.json(offerSeed(sealer, operator.name, `${settings.serviceName} console`), 200);
  })
  .post('/app', validated('json', z.object({ sealed: z.string().max(512), code: z.string().max(16) })), async (context) => {
    const { ledger, sealer, operator } = context.var;
    const offered = context.req.valid('json');
    await changeFactors(ledger, operator, async (tx, name) => {
      if (await replaceApp(tx, sealer, { operator: name, ...offered })) return;
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
    const { state, credential, label } = context.req.valid('json');
    const party = relyingParty(context);
    await changeFactors(ledger, operator, async (tx, name) => {
      if (await finishOperatorRegistration(tx, party, { operator: name, state, answer: JSON.stringify(credential), label })) return;
      throw new StopError({ code: 'sign_in_failed', message: 'The passkey was not registered: begin again' });
    });
    return context.json({}, 200);
  })
  .post('/passkeys/:id/remove', validated('param', z.object({ id: z.uuid() })), async (context) => {
    const { ledger, operator } = context.var;
    const { id } = context.req.valid('param');
    await changeFactors(ledger, operator, (tx, name) => removePasskey(tx, name, id));
    return context.json({}, 200);
  })
  .post('/recovery-codes', async (context) => {
    const { ledger, operator } = context.var;
    return context.json({ recoveryCodes: await changeFactors(ledger, operator, makeRecoveryCodes) }, 200);
  });
