import { z } from 'zod';
import { findSecondFactors, resetFactors, type SecondFactors } from '../../ledger/access/factors/second-factors.ts';
import { signOutEverywhere } from '../../ledger/access/sign-out.ts';
import { userSubject } from '../../ledger/access/subject.ts';
import { findUserByEmail, type User } from '../../ledger/access/users.ts';
import { queueResetNotice } from '../../ledger/accounts/notices.ts';
import { inTransaction, type Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { canSendMail } from '../../platform/mail.ts';
import { openSealer } from '../../platform/sealing.ts';
import { defineVerb } from '../verb.ts';

const topics = ['customers'] as const;
const input = z.strictObject({ email: z.string().trim().min(1).max(254).describe('email address of the user') });

/** Removes the second factors of a user who has lost them. Whoever has the password then signs in with it alone. */
export const resetUserFactors = defineVerb({
  name: 'users.reset-factors',
  summary:
    'remove all passkeys, the authenticator app and the recovery codes of a user who has lost them, and sign the user out everywhere',
  command: 'user reset-factors <email>',
  input,
  roles: ['administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { email }) {
    const user = await requireUser(ledger, email);
    const factors = await findSecondFactors(ledger, userSubject(user.id));
    return `Remove ${factorsText(factors)} of ${nameOf(user)}, and sign them out everywhere: the password alone then signs in`;
  },
  async carryOut({ ledger, settings }, { email }) {
    const user = await requireUser(ledger, email);
    return inTransaction(ledger, async (tx) => {
      const factors = await resetFactors(tx, user.id);
      if (canSendMail(settings)) await queueResetNotice(tx, openSealer(settings), user.email);
      return { email, passkeys: factors.passkeys, hasTotp: factors.hasTotp };
    });
  },
  topics,
});

/** Signs a user out. It takes power away, and must not wait. */
export const signOutUser = defineVerb({
  name: 'users.sign-out',
  summary: 'end all sessions of a user and forget their browsers; the password and what they granted to applications stay',
  command: 'user sign-out <email>',
  input,
  roles: ['reviewer', 'administrator'],
  needsSecondPerson: false,
  describe: async ({ ledger }, { email }) => `Sign ${nameOf(await requireUser(ledger, email))} out everywhere, and forget their browsers`,
  async carryOut({ ledger }, { email }) {
    const { id } = await requireUser(ledger, email);
    return { email, sessions: await inTransaction(ledger, (tx) => signOutEverywhere(tx, id)) };
  },
  topics,
});

/** What a user has besides the password, for people. */
export function factorsText({ passkeys, hasTotp }: SecondFactors): string {
  return `${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'} and ${hasTotp ? 'the authenticator app' : 'no authenticator app'}`;
}

/** The user of an email address. Throws `not_found`. */
export async function requireUser(ledger: Ledger, email: string): Promise<User> {
  const user = await findUserByEmail(ledger, email);
  if (user) return user;
  throw new StopError({ code: 'not_found', message: `There is no user ${email}; \`mintrail user list\` lists them` });
}

function nameOf({ id, email }: User): string {
  return `the user ${email} (${id})`;
}
