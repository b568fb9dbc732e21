import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandboxRail } from '../../src/bank/sandbox-rail.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { takePaymentBatch } from '../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { replaceCredits } from '../../src/ledger/bank/reported-credits.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched-credits.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { retryGiveBack } from '../../src/ledger/orders/stuck-orders.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { payerIban, randomHash, testPayments } from '../ledger/bank/payments-ledger.ts';

const bank = testPayments({ isShared: true });

/** What each account of the book holds in eur, as far as it is not zero. Expects the states to say the same. */
async function held(): Promise<Record<string, number>> {
  const comparisons = await compareBookWithStates(bank.ledger);
  expect(comparisons.filter(({ difference }) => difference !== 0n)).toEqual([]);
  const rows = comparisons.filter(({ currency, actual }) => currency === 'eur' && actual !== 0n);
  return Object.fromEntries(rows.map(({ account, actual }) => [account.replace('liabilities:', ''), Number(actual)]));
}

const handToSandbox = async () => {
  await makePaymentsOfLegs(bank.ledger, 100);
  await takePaymentBatch(bank.ledger, createSandboxRail());
};

async function unmatched(reference: string, amount: bigint, facts: { entryReference?: string; isSum?: boolean } = {}) {
  const credit = {
    reference,
    bankAccount: 'sandbox',
    currency: 'eur',
    amount: minorUnits(amount),
    payer: { name: 'Jón', iban: payerIban },
    ...facts,
  };
  await recordCredits(bank.ledger, [credit], { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'] });
}

describe("the book and the ledger's states", () => {
  afterEach(async () => {
    expect(await held()).toEqual({});
  });

  it('agree on an issue', async () => {
    const { order } = await bank.credited();
    expect(await held()).toEqual({ issue: 300 });
    await bank.settle(order, 'issue', randomHash());
  });

  it('agree on a refused issue, whose credit is returned', async () => {
    await bank.refusedCredit();
    expect(await held()).toEqual({ return: 300 });
    await makePaymentsOfLegs(bank.ledger, 100);
    expect(await held()).toEqual({ return: 300 });
    await takePaymentBatch(bank.ledger, createSandboxRail());
  });

  it('agree on a payout until the bank has booked it', async () => {
    await bank.burnt();
    expect(await held()).toEqual({ payout: 1250 });
    await handToSandbox();
    const { id } = await bank.sentPayout();
    expect(await held()).toEqual({ payments: 1250 });
    await bank.decide(id, 'AC04');
    expect(await held()).toEqual({ payout: 1250 });
    const givingBack = bank.ledger.selectFrom('legs').where('kind', '=', 'issue').where('state', '=', 'ready');
    const { orderId, id: leg } = await givingBack.select(['orderId', 'id']).executeTakeFirstOrThrow();
    await bank.settle(orderId, 'issue', randomHash(), 'the account is blocked');
    expect(await held()).toEqual({ payout: 1250 });
    await retryGiveBack(bank.ledger, orderId);
    await bank.settleLeg(leg, 8n);
  });

  it('agree on a payout to another chain', async () => {
    const { order } = await bank.burnt({ to: 'sepolia' });
    expect(await held()).toEqual({ payout: 1250 });
    const { id } = await bank.ledger.selectFrom('orders').where('sourceOrder', '=', order).select('id').executeTakeFirstOrThrow();
    await bank.settle(id, 'issue', randomHash());
  });

  it('agree on an unmatched credit, and on its return', async () => {
    await unmatched('U1', 700n);
    expect(await held()).toEqual({ suspense: 700 });
    await returnCredit(bank.ledger, 'U1');
    expect(await held()).toEqual({ return: 700 });
    await handToSandbox();
  });

  it('agree on a sum that was reported before its transactions', async () => {
    await unmatched('SUM', 30n, { entryReference: 'SUM', isSum: true });
    expect(await held()).toEqual({ suspense: 30 });
    await inTransaction(bank.ledger, (tx) => replaceCredits(tx, [{ reference: 'SUM', remaining: null }]));
    await unmatched('SUM-1', 10n);
    await unmatched('SUM-2', 20n);
    expect(await held()).toEqual({ suspense: 30 });
    await returnCredit(bank.ledger, 'SUM-1');
    await returnCredit(bank.ledger, 'SUM-2');
    await handToSandbox();
  });
});

it('differ when a row was changed behind the back of the book', async () => {
  const { order } = await bank.credited();
  const undone = new Error('undone');
  const tampering = inTransaction(bank.ledger, async (tx) => {
    await sql`update legs set amount = amount + 5 where order_id = ${order}`.execute(tx);
    await sql`update balances set debited = debited + 9 where account = 'liabilities:tokens:chiado'`.execute(tx);
    await sql`insert into balance_changes (account, currency, booked_on, debited, credited) values ('liabilities:tokens:chiado', 'eur', now(), 9, 0)`.execute(
      tx,
    );
    const differing = (await compareBookWithStates(tx)).filter(({ difference }) => difference !== 0n);
    expect(differing.map(({ account, difference }) => [account, difference])).toEqual([
      ['', 9n],
      ['liabilities:issue', -5n],
    ]);
    throw undone;
  });
  await expect(tampering).rejects.toBe(undone);
});
