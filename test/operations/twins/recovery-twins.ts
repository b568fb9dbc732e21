import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { openRecovery } from '../../../src/ledger/recoveries.ts';
import type { LowerAddress } from '../../../src/platform/addresses.ts';
import { type PaymentsLedger, randomHash } from '../../ledger/bank/payments-ledger.ts';
import { reason, type Twin } from './twin.ts';

const account = `0x${'c'.repeat(40)}` as LowerAddress;

let numbers = 1_000;

/** An issue on the chain that the ledger does not know, of an order. Returns its id. */
export async function unknownIssue({ ledger }: PaymentsLedger, orderId: string, amount = '300'): Promise<string> {
  const what = {
    chain: 'chiado',
    kind: 'issue',
    token: `0x${'1'.repeat(40)}` as LowerAddress,
    currency: 'eur',
    account,
    blockNumber: 9n,
  } as const;
  const row = { ...what, orderId, amount, sequence: String((numbers += 1)), txHash: randomHash() };
  return (await ledger.insertInto('unrecordedOutcomes').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

const stateOf = async ({ ledger }: PaymentsLedger, id: string) =>
  (await ledger.selectFrom('unrecordedOutcomes').where('id', '=', id).select('state').executeTakeFirstOrThrow()).state;

export const recoveryTwins: Twin[] = [
  {
    verb: 'recovery.begin',
    async prepare() {
      return { input: { skipIbans: 3 }, command: ['recover', 'begin', '--skip-ibans', '3'], audited: 'recovery' };
    },
    async isDone({ ledger }) {
      expect(await openRecovery(ledger)).toBeDefined();
    },
  },
  {
    verb: 'recovery.accept',
    async prepare(payments) {
      const { order } = await payments.credited();
      const outcome = await unknownIssue(payments, order);
      return { input: { outcome }, command: ['recover', 'accept', outcome], audited: outcome };
    },
    async isDone(payments, { audited }) {
      const { orderId } = await payments.ledger
        .selectFrom('unrecordedOutcomes')
        .where('id', '=', audited as string)
        .select('orderId')
        .executeTakeFirstOrThrow();
      expect((await payments.order(orderId)).address).toBe(account);
    },
  },
  {
    verb: 'recovery.set-aside',
    async prepare(payments) {
      const outcome = await unknownIssue(payments, randomUUID(), '777');
      return { input: { ids: [outcome], reason }, command: ['recover', 'set-aside', outcome, '--reason', reason], audited: outcome };
    },
    async isDone(payments, { audited }) {
      expect(await stateOf(payments, audited as string)).toBe('set_aside');
    },
  },
  {
    verb: 'recovery.apply',
    // Nothing is unexplained, and the network is compared.
    async prepare({ ledger }) {
      await ledger.deleteFrom('unrecordedOutcomes').execute();
      const comparedAt = new Date(Date.now() + 1_000);
      await ledger
        .insertInto('outcomeAudits')
        .values({ chain: 'chiado', block: 9n, comparedAt })
        .onConflict((conflict) => conflict.column('chain').doUpdateSet({ comparedAt }))
        .execute();
      return { input: {}, command: ['recover', '--apply'], audited: 'recovery' };
    },
    async isDone({ ledger }) {
      expect(await openRecovery(ledger)).toBeUndefined();
    },
  },
];
