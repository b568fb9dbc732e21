import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { rejectPayout } from '../../../src/ledger/bank/payments.ts';
import { markFailed, markMined, recordReplacement, recordTransaction } from '../../../src/ledger/lanes/transactions.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { type PaymentsLedger, randomHash } from '../../ledger/bank/payments-ledger.ts';
import { claimReady } from '../../support/claim-ready.ts';

/** What a hostile payer may write where a person reads it. */
export const hostile = `<img src=x onerror="document.title='stolen'"><script>document.title='stolen'</script>`;

const gwei = 1_000_000_000n;
const lane = { chain: 'chiado' as const, signer: lowerAddress(`0x${'5'.repeat(40)}`) };
const tokens = { eur: lowerAddress(`0x${'e'.repeat(40)}`) };

const attempt = (maxFeePerGas: bigint) => ({ hash: randomHash(), raw: '0x', maxFeePerGas, maxPriorityFeePerGas: gwei / 10n });

/** An order that is paid, one that is stuck with hostile texts, and one whose transaction was lost, replaced and mined. */
export async function placeOrdersOfAllKinds(payments: PaymentsLedger) {
  const paid = await payments.sentPayout();
  await payments.decide(paid.id, null);
  const stuck = await makeStuck(payments);
  const replaced = await payments.credited('Invoice-77');
  await sendAndReplace(payments, replaced.order);
  const credit = await payments.credited();
  return { paid, stuck, replaced, credit };
}

/** A redemption whose payout is rejected and whose account is blocked. */
export async function makeStuck(payments: PaymentsLedger): Promise<string> {
  const { order } = await payments.burnt({ amount: 777_00n, memo: hostile, details: { name: hostile, country: 'DE' } });
  await makePaymentsOfLegs(payments.ledger, 100);
  await rejectPayout(payments.ledger, order, 'wrong account');
  await payments.settle(order, 'issue', randomHash(), 'the account is blocked');
  return order;
}

/** Its first transaction is replaced and lost, the second one mined. */
async function sendAndReplace({ ledger }: PaymentsLedger, order: string): Promise<void> {
  const send = async (nonce: bigint) => {
    const legs = await claimReady(ledger, { ...lane, tokens });
    const facts = { kind: 'issue' as const, currency: 'eur' as const, gasLimit: 1n, sentAtBlock: 1n, nonce };
    return recordTransaction(ledger, { ...lane, ...facts, attempt: attempt(2n * gwei), legs: legs.map(({ id }) => id) });
  };
  const lost = await send(0n);
  await recordReplacement(ledger, lost, attempt(3n * gwei), 2n);
  await markFailed(ledger, lost, { state: 'lost' });
  const mined = await send(1n);
  const { hash } = await ledger.selectFrom('transactionAttempts').where('transaction', '=', mined).select('hash').executeTakeFirstOrThrow();
  await markMined(ledger, mined, { hash, blockNumber: 9n, blockHash: randomHash(), gasUsed: 61_234n });
  await ledger.updateTable('orders').set({ correlationId: 'a-request' }).where('id', '=', order).execute();
}
