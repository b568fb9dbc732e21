import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { forgetSignInAttempts } from '../../ledger/access/sign-in-attempts.ts';
import { countSignInFailure } from '../../ledger/access/sign-in-failures.ts';
import { operatorSubject } from '../../ledger/access/subject.ts';
import { hashPassword } from '../../ledger/access/passwords.ts';
import {
  type Accepted,
  acceptByPassword,
  acceptInvitation,
  findInvitation,
  type InvitationSecrets,
  type InvitedOperator,
  openInvitation,
  seedOfInvited,
} from '../../ledger/operators/invitations.ts';
import { startOperatorRegistration } from '../../ledger/operators/passkeys.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { browserSource, countAttempt } from '../http/browser-source.ts';
import { newPassword, registerPasskey, requireNoGuess, sentPasskey } from './new-factors.ts';
import { relyingParty } from './relying-party.ts';
import { signInBrowser } from '../http/session-cookie.ts';

const token = z.string().min(1).max(256);
/** What somebody who is invited has: the link, and of an invitation that took two persons its code. */
const secrets = { token, invitationCode: z.string().max(64).optional() };

/** How somebody who is invited sets what they will sign in with. Nothing of it is shown or begun without all secrets of the invitation. */
export const invitation = new Hono<ConsoleEnv>()
  .post('/', validated('json', z.object(secrets)), async (context) => {
    const { ledger, sealer, settings } = context.var;
    const input = context.req.valid('json');
    const { name, role, needsCode } = await requireLink(context, input.token);
    if (needsCode && input.invitationCode === undefined) return context.json({ name, role, needsCode, totp: null }, 200);
    const invited = await requireInvitation(context, input);
    const totp = await seedOfInvited(ledger, sealer, invited, `${settings.serviceName} console`);
    return context.json({ name, role, needsCode: false, totp: totp ?? null }, 200);
  })
  .post('/password', validated('json', z.object({ ...secrets, password: newPassword, code: z.string().max(16) })), async (context) => {
    const { ledger, sealer } = context.var;
    const input = context.req.valid('json');
    const { name } = await requireInvitation(context, input);
    await requireNoGuess(context, input.password, name);
    const passwordHash = await hashPassword(input.password);
    const accepted = await acceptByPassword(
      ledger,
      sealer,
      { secrets: secretsOf(input), passwordHash, appCode: input.code },
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
  .post('/passkey/options', validated('json', z.object(secrets)), async (context) => {
    const invited = await requireInvitation(context, context.req.valid('json'));
    return context.json(await startOperatorRegistration(context.var.ledger, relyingParty(context), invited), 200);
  })
  .post('/passkey', validated('json', z.object({ ...secrets, ...sentPasskey })), async (context) => {
    const sent = context.req.valid('json');
    await requireInvitation(context, sent);
    const accepted = await acceptInvitation(context.var.ledger, secretsOf(sent), browserSource(context), async (tx, operator) => {
      await registerPasskey(context, tx, operator, sent);
      return true;
    });
    if (!accepted) throw new StopError({ code: 'sign_in_failed', message: 'The passkey was not registered: begin again' });
    return signedIn(context, accepted);
  });

interface SentSecrets {
  token: string;
  invitationCode?: string | undefined;
}

function secretsOf({ token: secret, invitationCode: code }: SentSecrets): InvitationSecrets {
  return { secret, code };
}

/** Whom a link is for. Throws `sign_in_failed`, and `rate_limited` for one who guesses. */
async function requireLink(context: Context<ConsoleEnv>, secret: string) {
  await countAttempt(context, [{ kind: 'source', name: `console invitation ${browserSource(context).network}` }]);
  const invited = await findInvitation(context.var.ledger, secret);
  if (invited) return invited;
  await countSignInFailure(context.var.ledger, { kind: 'operator', id: undefined }, 'invitation');
  throw new StopError({
    code: 'sign_in_failed',
    message: 'The invitation was accepted already, was replaced, or has expired: ask an administrator for another',
  });
}

/** Whom an invitation is for, by all its secrets. Throws `sign_in_failed`, `invalid_request`, and `rate_limited` for one who guesses. */
async function requireInvitation(context: Context<ConsoleEnv>, sent: SentSecrets): Promise<InvitedOperator> {
  const { name, needsCode } = await requireLink(context, sent.token);
  // From everywhere: nobody guesses who has no link, and whoever has it may have many network addresses.
  const guesses = { kind: 'account', name: `console invitation code ${name}` } as const;
  if (needsCode) await countAttempt(context, [guesses]);
  const invited = await openInvitation(context.var.ledger, secretsOf(sent));
  if (!invited) {
    await countSignInFailure(context.var.ledger, operatorSubject(name), 'invitation');
    throw new StopError({
      code: 'invalid_request',
      message: 'The code of the invitation is not right: whoever asked for the invitation gives it to you',
      fields: { invitationCode: 'is not right: whoever asked for your invitation gives it to you' },
    });
  }
  if (needsCode) await forgetSignInAttempts(context.var.ledger, [guesses]);
  return invited;
}

async function signedIn(context: Context<ConsoleEnv>, { session, recoveryCodes }: Accepted) {
  await signInBrowser(context, session);
  return context.json({ state: 'signed-in' as const, recoveryCodes }, 200);
}
