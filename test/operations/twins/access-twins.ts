import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { changeOrigins } from '../../../src/ledger/access/applications/origins.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { disableApplication } from '../../../src/ledger/access/applications/disable-application.ts';
import { hashPassword, setPassword } from '../../../src/ledger/access/passwords.ts';
import { createSession, listSessions } from '../../../src/ledger/access/sessions.ts';
import { findSecondFactors } from '../../../src/ledger/access/factors/second-factors.ts';
import { userSubject } from '../../../src/ledger/access/subject.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { disableOperator } from '../../../src/ledger/operators/operator-access.ts';
import { addOperator } from '../../../src/ledger/operators/operators.ts';
import type { PaymentsLedger } from '../../ledger/bank/payments-ledger.ts';
import type { Twin } from './twin.ts';

const newName = (kind: string) => `${kind}-${randomUUID().slice(0, 8)}`;

async function newApplication({ ledger }: PaymentsLedger): Promise<string> {
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
  return (await createApplication(ledger, { kind: 'whitelabel', name: 'Partner', owner, approved: false })).id;
}

async function newOperator({ ledger }: PaymentsLedger): Promise<string> {
  const name = newName('viewer');
  await addOperator(ledger, { name, role: 'viewer' });
  return name;
}

/** A user with an authenticator app, who is signed in. */
async function newUser({ ledger }: PaymentsLedger) {
  const email = `${randomUUID()}@example.com`;
  const id = await createUser(ledger, { email, name: 'Sam' });
  await ledger.insertInto('totpSeeds').values({ userId: id, seed: 'sealed', activatedAt: new Date() }).execute();
  await createSession(ledger, userSubject(id), { browser: 'Firefox on Linux', network: '192.0.2.1' });
  return { id, email };
}

export const accessTwins: Twin[] = [
  {
    verb: 'users.reset-factors',
    async prepare(payments) {
      const { id, email } = await newUser(payments);
      return { input: { email }, command: ['user', 'reset-factors', email], audited: id };
    },
    async isDone({ ledger }, { audited }) {
      expect(await findSecondFactors(ledger, userSubject(audited as string))).toEqual({ passkeys: 0, hasTotp: false });
    },
  },
  {
    verb: 'users.sign-out',
    async prepare(payments) {
      const { id, email } = await newUser(payments);
      return { input: { email }, command: ['user', 'sign-out', email], audited: id };
    },
    async isDone({ ledger }, { audited }) {
      expect(await listSessions(ledger, userSubject(audited as string))).toEqual([]);
    },
  },
  {
    verb: 'applications.register',
    guard: 'not_possible',
    // Somebody signed up as the owner, and nobody has proven the address.
    async forbid({ ledger }, { input }) {
      const user = await createUser(ledger, { email: input['owner'] as string, name: 'Stranger' });
      const hash = await hashPassword('correct staple of seven horses');
      await inTransaction(ledger, (tx) => setPassword(tx, userSubject(user), hash, 'sign-up'));
    },
    async prepare({ ledger }) {
      const [name, owner] = [newName('Shop'), `${randomUUID()}@example.com`];
      const named = ledger.selectFrom('applications').where('name', '=', name).select('id');
      return {
        input: { kind: 'whitelabel', name, owner },
        command: ['app', 'create', '--kind', 'whitelabel', '--name', name, '--owner', owner],
        audited: async () => (await named.executeTakeFirst())?.id ?? 'there is none yet',
      };
    },
  },
  {
    verb: 'applications.approve',
    guard: 'not_possible',
    async prepare(payments) {
      const application = await newApplication(payments);
      return { input: { application }, command: ['app', 'approve', application], audited: application };
    },
  },
  {
    verb: 'applications.rotate-secret',
    guard: 'not_possible',
    forbid: ({ ledger }, { input }) => disableApplication(ledger, input['application'] as string),
    async prepare(payments) {
      const application = await newApplication(payments);
      return {
        input: { application, atOnce: true },
        command: ['app', 'rotate-secret', application, '--at-once'],
        audited: application,
      };
    },
  },
  {
    verb: 'applications.origins',
    guard: 'bad_input',
    async prepare(payments) {
      const application = await newApplication(payments);
      const [add, remove] = [['https://new.example'], ['https://old.example']];
      await changeOrigins(payments.ledger, application, { add: remove, remove: [] }, 'sandbox');
      return {
        input: { application, add, remove },
        command: ['app', 'origins', application, '--add', ...add, '--remove', ...remove],
        audited: application,
      };
    },
  },
  {
    verb: 'applications.disable',
    async prepare(payments) {
      const application = await newApplication(payments);
      return { input: { application }, command: ['app', 'disable', application], audited: application };
    },
  },
  {
    verb: 'operators.add',
    guard: 'not_possible',
    async prepare() {
      const name = newName('reviewer');
      return { input: { name, role: 'reviewer' }, command: ['operator', 'add', name, '--role', 'reviewer'], audited: name };
    },
  },
  {
    verb: 'operators.reset',
    guard: 'not_found',
    forbid: ({ ledger }, { input }) => disableOperator(ledger, input['name'] as string),
    async prepare(payments) {
      const name = await newOperator(payments);
      return { input: { name }, command: ['operator', 'reset', name], audited: name };
    },
  },
  {
    verb: 'operators.role',
    guard: 'not_possible',
    async prepare(payments) {
      const name = await newOperator(payments);
      return { input: { name, role: 'reviewer' }, command: ['operator', 'role', name, '--role', 'reviewer'], audited: name };
    },
  },
  {
    verb: 'operators.disable',
    guard: 'not_found',
    async prepare(payments) {
      const name = await newOperator(payments);
      return { input: { name }, command: ['operator', 'disable', name], audited: name };
    },
  },
  {
    verb: 'operators.enable',
    guard: 'not_possible',
    async prepare(payments) {
      const name = await newOperator(payments);
      await disableOperator(payments.ledger, name);
      return { input: { name }, command: ['operator', 'enable', name], audited: name };
    },
  },
];
