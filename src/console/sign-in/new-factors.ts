import type { Context } from 'hono';
import { z } from 'zod';
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

/** Throws `invalid_request` for a password that is among the first that anybody guesses. */
export async function requireNoGuess({ var: { settings } }: Context<ConsoleEnv>, password: string, name: string): Promise<void> {
  if (!(await isGuessable(password, { serviceName: settings.serviceName, email: name, name }))) return;
  const fields = { password: 'is among the first that anybody guesses' };
  throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
}
