import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { profileInReview } from '../../console/support/profile-in-review.ts';
import type { TestConsole } from '../../console/support/test-console.ts';
import { randomHash } from '../../ledger/bank/payments-ledger.ts';
import { createCustomer } from '../../support/customer.ts';
import { reason, type Twin } from './twin.ts';

/** A profile in review, with the command that decides it by these options. */
async function review(console: TestConsole, ...options: string[]) {
  const { profile } = await profileInReview(console, { name: 'Anna' });
  return { profile, command: ['profile', 'review', profile, ...options], audited: profile };
}

/** An address for which two customers wait, and the first of them. */
async function contestedAddress(ledger: Ledger) {
  const address = lowerAddress(`0x${randomBytes(20).toString('hex')}`);
  const { profile } = await createCustomer(ledger, 'chiado');
  for (const waiting of [profile, (await createCustomer(ledger, 'chiado')).profile])
    await ledger
      .insertInto('signatureRequests')
      .values({
        kind: 'linkAddress',
        chain: 'chiado',
        address,
        profile: waiting,
        signature: '0x',
        draft: '{"proof": {"kind": "sentence on chain"}}',
        digest: randomHash(),
        contestedSince: new Date(),
      })
      .execute();
  return { address, profile };
}

export const customerTwins: Twin[] = [
  {
    verb: 'customers.approve',
    guard: 'profile_not_in_review',
    async prepare(_, console) {
      const { profile, ...rest } = await review(console, '--approve');
      return { input: { profile, reviews: 0 }, ...rest };
    },
    async isDone({ ledger }, { audited }) {
      // What the customer's application is told belongs to the request or command that decided.
      const events = await ledger
        .selectFrom('events')
        .where('profile', '=', audited as string)
        .select('correlationId')
        .execute();
      expect(events).toEqual([{ correlationId: expect.any(String) as string }]);
    },
  },
  {
    verb: 'customers.reject',
    guard: 'profile_not_in_review',
    async prepare(_, console) {
      const { profile, ...rest } = await review(console, '--reject', reason);
      return { input: { profile, reviews: 0, reason }, ...rest };
    },
  },
  {
    verb: 'customers.ask-for-more',
    guard: 'profile_not_in_review',
    async prepare(_, console) {
      const { profile, ...rest } = await review(console, '--incomplete', `details.birthday=${reason}`);
      return { input: { profile, reviews: 0, errors: [{ field: 'details.birthday', reason }] }, ...rest };
    },
  },
  {
    verb: 'customers.decide-address',
    guard: 'not_possible',
    async prepare({ ledger }) {
      const { address, profile } = await contestedAddress(ledger);
      const command = ['address', 'decide', address, '--chain', 'chiado', '--profile', profile];
      return { input: { address, chain: 'chiado', profile }, command, audited: address };
    },
  },
  {
    verb: 'customers.release-address',
    guard: 'address_not_linked',
    async prepare({ ledger }) {
      const { address, profile } = await createCustomer(ledger, 'chiado');
      return { input: { address, profile }, command: ['address', 'release', address, '--profile', profile], audited: address };
    },
  },
];
