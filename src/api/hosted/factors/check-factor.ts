import { type AssertionError, finishAssertion } from '../../../ledger/access/factors/passkey-ceremonies.ts';
import { useRecoveryCode } from '../../../ledger/access/factors/recovery-codes.ts';
import { useTotpCode } from '../../../ledger/access/factors/totp.ts';
import { countSignInFailure } from '../../../ledger/access/sign-in-failures.ts';
import type { Subject } from '../../../ledger/access/subject.ts';
import { inTransaction } from '../../../ledger/ledger.ts';
import { announceFactor } from './announce-factor.ts';
import type { PageRequest } from '../page-request.ts';
import { browserHash, relyingParty } from './relying-party.ts';

/** What a user reads when a passkey's answer does not count. */
export const assertionTexts: Record<AssertionError, string> = {
  expired: 'That took too long. Try again.',
  invalid: 'The passkey did not answer as it should. Try again.',
  unknown: 'This passkey is not known here.',
  regressed:
    'This passkey was refused: it may be a copy. Use another way to sign in, remove the passkey from your account and add it again.',
};

/** Checks the factor that a user gives in a submitted form, which uses it up. Returns what is wrong; `undefined` when it is right. */
export async function checkFactor(
  pageRequest: PageRequest,
  { subject, email, method, purpose }: { subject: Subject; email: string; method: FactorMethod; purpose: 'second-factor' | 'proof' },
): Promise<string | undefined> {
  const { deps, form } = pageRequest;
  if (method === 'passkey') {
    const answer = form.get('answer') ?? '';
    const awaited = { holder: browserHash(pageRequest), purpose, subject };
    const signed = await finishAssertion(deps.ledger, relyingParty(pageRequest), { ...awaited, kind: 'user', answer });
    return typeof signed === 'string' ? assertionTexts[signed] : undefined;
  }
  if (method === 'code') {
    if (await useTotpCode(deps.ledger, deps.sealer, { subject, code: form.get('code') ?? '' })) return undefined;
    await countSignInFailure(deps.ledger, subject, 'code');
    return 'The code is wrong, or it was used before. Wait for the next one.';
  }
  const isGood = await inTransaction(deps.ledger, async (tx) => {
    const isUsed = await useRecoveryCode(tx, subject, form.get('recoveryCode') ?? '');
    if (isUsed) await announceFactor(tx, pageRequest, { email, change: 'recovery-code-used' });
    else await countSignInFailure(tx, subject, 'code');
    return isUsed;
  });
  return isGood ? undefined : 'The recovery code is wrong, or it was used before.';
}

/** How a user proves who they are besides the password: by a passkey, a code of their app, or a recovery code. */
export type FactorMethod = 'passkey' | 'code' | 'recovery-code';

const methods: readonly string[] = ['passkey', 'code', 'recovery-code'] satisfies FactorMethod[];

/** The method that a submitted form names; `undefined` for any other. */
export function readFactorMethod(form: URLSearchParams): FactorMethod | undefined {
  const method = form.get('method') ?? '';
  return methods.includes(method) ? (method as FactorMethod) : undefined;
}
