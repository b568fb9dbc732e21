import { Secret, TOTP } from 'otpauth';
import { inviteOperator } from '../../../src/ledger/operators/invitations.ts';
import { addOperator } from '../../../src/ledger/operators/operators.ts';
import type { OperatorRole } from '../../../src/schema/states.ts';
import type { TestConsole } from './test-console.ts';
import { earlyInTotpStep } from '../../support/totp-step.ts';

export const password = 'correct staple of seven horses';

/** What an app with this seed shows, so many steps of half a minute from now. */
export const codeOf = (seed: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(seed) }).generate({ timestamp: Date.now() + steps * 30_000 });

export const cookieOf = ({ headers }: { headers: Headers }) => headers.get('Set-Cookie')?.split(';')[0] ?? '';

/** Somebody who accepts an invitation by password and app. */
export async function invited(console: TestConsole, name: string, role: OperatorRole) {
  await addOperator(console.ledger, { name, role });
  const token = await inviteOperator(console.ledger, name);
  const { totp } = (await console.send('POST', '/api/invitation', { body: { token } })).json;
  await earlyInTotpStep();
  const accepted = await console.send('POST', '/api/invitation/password', { body: { token, password, code: codeOf(totp.seed, -1) } });
  return { token, seed: totp.seed as string, accepted };
}
