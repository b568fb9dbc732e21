import type { Registrant } from '../../../../src/ledger/access/factors/passkey-ceremonies.ts';
import { operatorSubject, type Subject, userSubject } from '../../../../src/ledger/access/subject.ts';
import { createUser } from '../../../../src/ledger/access/users.ts';
import type { Ledger } from '../../../../src/ledger/ledger.ts';
import { addOperator, findOperator } from '../../../../src/ledger/operators/operators.ts';

/** Everybody who signs in. */
export const subjectKinds = ['user', 'operator'] as const satisfies Subject['kind'][];

/** Somebody new who signs in, without any factor. */
export async function newSubject(ledger: Ledger, kind: Subject['kind']): Promise<Registrant> {
  const account = `${crypto.randomUUID()}@example.org`;
  if (kind === 'user') {
    const handle = await createUser(ledger, { email: account, name: 'Sam' });
    return { subject: userSubject(handle), handle, account, name: 'Sam' };
  }
  await addOperator(ledger, { name: account, role: 'viewer' });
  const { id: handle = '' } = (await findOperator(ledger, account)) ?? {};
  return { subject: operatorSubject(account), handle, account, name: account };
}

/** What the audit log has of somebody, as it is called for a user, the oldest first; without the wrong attempts. */
export async function auditedFactors(ledger: Ledger, { kind, id }: Subject): Promise<string[]> {
  const entries = await ledger.selectFrom('auditLog').where('subject', '=', id).orderBy('id').select('action').execute();
  const actions = entries.map(({ action }) => (kind === 'operator' ? (namesOfUsers[action] ?? action) : action));
  return actions.filter((action) => action !== 'operator.add' && !action.endsWith('.sign-in-failed'));
}

const namesOfUsers: Readonly<Record<string, string>> = {
  'operator.passkey-add': 'passkey.add',
  'operator.passkey-remove': 'passkey.remove',
  'operator.passkey-counter-regressed': 'passkey.counter-regressed',
  'operator.totp-add': 'totp.add',
  'operator.totp-remove': 'totp.remove',
  'operator.recovery-codes': 'recovery-codes.make',
  'operator.recovery-code': 'recovery-code.use',
};
