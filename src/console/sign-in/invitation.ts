import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { isGuessable } from '../../ledger/access/password-rules.ts';
import { hashPassword } from '../../ledger/access/passwords.ts';
import { type Accepted, acceptByPassword, acceptInvitation, findInvitation, seedOfInvited } from '../../ledger/operators/invitations.ts';
import type { Operator } from '../../ledger/operators/operators.ts';
import { finishOperatorRegistration, startOperatorRegistration } from '../../ledger/operators/passkeys.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { browserSource, countAttempt } from './browser-source.ts';
import { relyingParty } from './relying-party.ts';
import { signInBrowser } from './session-cookie.ts';

const token = z.string().min(1).max(256);
const password = z.string().min(12, 'must have at least 12 characters').max(256);
const passkey = { state: z.string().max(256), credential: z.record(z.string(), z.json()), label: z.string().trim().min(1).max(64) };

/** How somebody who is invited sets a password with the code of an app, or registers a passkey, and is signed in. The link of an invitation is `/invitation#TOKEN`. */
export const invitation = new Hono<ConsoleEnv>()
  .post('/', validated('json', z.object({ token })), async (context) => {
    const { ledger, sealer, settings } = context.var;
    const invited = await requireInvitation(context, context.req.valid('json').token);
    const totp = await seedOfInvited(ledger, sealer, invited, `${settings.serviceName} console`);
    return context.json({ name: invited.name, role: invited.role, totp: totp ?? null }, 200);
  })
  .post('/password', validated('json', z.object({ token, password, code: z.string().max(16) })), async (context) => {
    const { ledger, sealer, settings } = context.var;
    const input = context.req.valid('json');
    const { name } = await requireInvitation(context, input.token);
    if (await isGuessable(input.password, { serviceName: settings.serviceName, email: name, name }))
      throw new StopError({
        code: 'invalid_request',
        message: 'Validation errors',
        fields: { password: 'is among the first that anybody guesses' },
      });
    const passwordHash = await hashPassword(input.password);
    const accepted = await acceptByPassword(
      ledger,
      sealer,
      { secret: input.token, passwordHash, code: input.code },
      browserSource(context),
    );
    if (!accepted)
      throw new StopError({
        code: 'invalid_request',
        message: 'Validation errors',
        fields: { code: 'is not the code that the app shows now' },
      });
    return signedIn(context, accepted);
  })
  .post('/passkey/options', validated('json', z.object({ token })), async (context) => {
    const invited = await requireInvitation(context, context.req.valid('json').token);
    return context.json(await startOperatorRegistration(context.var.ledger, relyingParty(context), invited), 200);
  })
  .post('/passkey', validated('json', z.object({ token, ...passkey })), async (context) => {
    const { state, credential, label, ...input } = context.req.valid('json');
    await requireInvitation(context, input.token);
    const answer = JSON.stringify(credential);
    const accepted = await acceptInvitation(context.var.ledger, input.token, browserSource(context), (tx, operator) =>
      finishOperatorRegistration(tx, relyingParty(context), { operator, state, answer, label }),
    );
    if (!accepted) throw new StopError({ code: 'sign_in_failed', message: 'The passkey was not registered: begin again' });
    return signedIn(context, accepted);
  });

/** Whom an invitation is for. Throws `sign_in_failed`, and `rate_limited` for one who guesses. */
async function requireInvitation(context: Context<ConsoleEnv>, secret: string): Promise<Operator & { id: string }> {
  await countAttempt(context, [{ kind: 'source', name: `console invitation ${browserSource(context).network}` }]);
  const invited = await findInvitation(context.var.ledger, secret);
  if (invited) return invited;
  throw new StopError({
    code: 'sign_in_failed',
    message: 'The invitation was accepted already, was replaced, or has expired: ask an administrator for another',
  });
}

async function signedIn(context: Context<ConsoleEnv>, { session, recoveryCodes }: Accepted) {
  await signInBrowser(context, session);
  return context.json({ state: 'signed-in' as const, recoveryCodes }, 200);
}
