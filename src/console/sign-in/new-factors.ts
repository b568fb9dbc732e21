import type { Context } from 'hono';
import { z } from 'zod';
import { hashSecret } from '../../ledger/access/applications/secrets.ts';
import { finishRegistration, registrationTexts } from '../../ledger/access/factors/passkey-ceremonies.ts';
import type { Subject } from '../../ledger/access/subject.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { relyingParty } from './relying-party.ts';
import { isGuessable } from '../../ledger/access/password-rules.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { jsonObject } from '../http/validated.ts';

/** A password that somebody chooses. */
export const newPassword = z.string().min(12, 'must have at least 12 characters').max(256);

/** What a page sends to register a passkey. */
export const sentPasskey = {
  state: z.string().max(256),
  credential: jsonObject,
  label: z.string().trim().min(1).max(64),
};

type SentPasskey = z.infer<z.ZodObject<typeof sentPasskey>>;

/** Registers the passkey that a page sends. Throws `sign_in_failed` when it is not registered. */
export async function registerPasskey(
  context: Context<ConsoleEnv>,
  tx: LedgerTransaction,
  subject: Subject,
  { state, credential, label }: SentPasskey,
): Promise<void> {
  const sent = { holder: hashSecret(state), subject, name: label, answer: JSON.stringify(credential) };
  const added = await finishRegistration(tx, relyingParty(context), sent);
  if (added !== 'added') throw new StopError({ code: 'sign_in_failed', message: registrationTexts[added] });
}

/** Throws `invalid_request` for a password that is among the first that anybody guesses. */
export async function requireNoGuess({ var: { settings } }: Context<ConsoleEnv>, password: string, name: string): Promise<void> {
  if (!(await isGuessable(password, { serviceName: settings.serviceName, email: name, name }))) return;
  const fields = { password: 'is among the first that anybody guesses' };
  throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
}
