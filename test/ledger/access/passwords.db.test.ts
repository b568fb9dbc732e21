import { beforeAll, expect, it } from 'vitest';
import { authenticateUser, hashPassword, setPassword } from '../../../src/ledger/access/passwords.ts';
import { userSubject } from '../../../src/ledger/access/subject.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
let user: string;
beforeAll(async () => {
  user = await createUser(ledger, { email: 'sam@example.org', name: 'Sam', isVerified: true });
});
const store = (hash: string) => inTransaction(ledger, (tx) => setPassword(tx, userSubject(user), hash, 'sign-up'));

it('is hashed by argon2id with 46 MiB, as a PHC string, with a salt of its own', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await hashPassword('correct horse')).not.toBe(hash);
});

it('opens its account, whatever the case of the address and the composition of its characters', async () => {
  await store(await hashPassword('Pa\u0308ssword'));
  expect(await authenticateUser(ledger, 'Sam@Example.org', 'P\u00e4ssword')).toMatchObject({ subject: { kind: 'user', id: user } });
});

it('is not cut: what differs in its last character is another', async () => {
  await store(await hashPassword(`${'x'.repeat(127)}y`));
  expect(await authenticateUser(ledger, 'sam@example.org', `${'x'.repeat(127)}z`)).toBeUndefined();
  expect(await authenticateUser(ledger, 'sam@example.org', `${'x'.repeat(127)}y`)).toMatchObject({ subject: { kind: 'user', id: user } });
});

it('opens nothing when it is wrong, or the account is unknown', async () => {
  expect(await authenticateUser(ledger, 'sam@example.org', 'Password')).toBeUndefined();
  expect(await authenticateUser(ledger, 'nobody@example.org', 'Password')).toBeUndefined();
});

// Computed by node:crypto's argon2 of "correct horse".
it('is checked by the parameters of its own hash', async () => {
  await store('$argon2id$v=19$m=19456,t=2,p=1$BwcHBwcHBwcHBwcHBwcHBw$cTLmpgKLeruU6za+t2cUZ3fNfHVCYhGoJ8inpcUNcwc');
  expect(await authenticateUser(ledger, 'sam@example.org', 'correct horse')).toMatchObject({ subject: { kind: 'user', id: user } });
});
