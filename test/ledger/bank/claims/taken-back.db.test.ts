import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { reverseCredits } from '../../../../src/ledger/bank/claims/credit-reversals.ts';
import { takeCreditsBack } from '../../../../src/ledger/bank/claims/taken-back.ts';
import { recordDebits } from '../../../../src/ledger/bank/debits/bank-debits.ts';
import { explainDebit } from '../../../../src/ledger/bank/debits/explain-debit.ts';
import { returnCredit } from '../../../../src/ledger/bank/unmatched/return-credit.ts';
import { inTransaction } from '../../../../src/ledger/ledger.ts';
import { settleLegs } from '../../../../src/ledger/orders/settling/settle-legs.ts';
import { isIssuable } from '../../../../src/ledger/lanes/leg-groups.ts';
import { beginRecovery, openRecovery } from '../../../../src/ledger/recoveries.ts';
import { recover as recoverLedger } from '../../../../src/ledger/recovery/recover.ts';
import { minorUnits } from '../../../../src/platform/money.ts';
import { payerIban, randomHash, testPayments } from '../payments-ledger.ts';
import { patience } from '../../../support/patience.ts';

const at = testPayments({ isShared: true });

const bookedOn = '2026-05-04';
const claimOf = (debit: string) => at.ledger.selectFrom('claims').where('reversal', '=', debit).select('state').executeTakeFirst();
const legOf = async (order: string) =>
  (await at.ledger.selectFrom('legs').where('orderId', '=', order).select('id').executeTakeFirstOrThrow()).id;

/** The bank debits money that it takes back. */
async function bankDebits(reference: string, amount: bigint): Promise<void> {
  const facts = { account: 'sandbox', currency: 'eur' as const, amount: minorUnits(amount), bookedOn, takesBack: 'reversal' };
  await inTransaction(at.ledger, (tx) =>
    recordDebits(tx, [{ debit: { reference, isSum: false, payee: {}, files: [], ...facts } }], 'test'),
  );
}

/** A statement of the bank reports a credit. */
async function report(credit: string): Promise<void> {
  await sql`
    with stated as (
      insert into bank_documents (written_account, account, kind, name, page, is_last_page, balances, statements)
      values ('sandbox', 'sandbox', 'statement', ${credit}, 1, true, '{}', '{}') returning id
    ), reported as (
      insert into bank_reports (document, entry, line, account, booked_on, is_sum, reference, facts)
      select id, 1, 1, 'sandbox', ${bookedOn}::date, false, ${credit}, '{}' from stated returning id
    )
    insert into report_money (report, credit, is_first) select id, ${credit}, false from reported
  `.execute(at.ledger);
}

/** A credit that a debit of the bank is about to take back. */
async function reversedCredit() {
  const { order, reference } = await at.credited();
  const debit = `debit of ${reference}`;
  await bankDebits(debit, 300n);
  return { order, reference, debit };
}

/** Takes the credit back as an import does. */
function takeBack({ reference, debit }: { reference: string; debit: string }) {
  return inTransaction(at.ledger, async (tx) => {
    const [taken] = await takeCreditsBack(tx, { debit, amount: minorUnits(300n), credits: [reference], reason: 'reversal', bookedOn });
    await tx.updateTable('bankDebits').set({ state: 'reversal' }).where('reference', '=', debit).execute();
    return taken?.effect;
  });
}

const isWaiting = () =>
  vi.waitUntil(async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      at.ledger,
    );
    return rows.length > 0;
  }, patience);

/** Makes the payer's account unknown: what cannot be issued waits for the operator then. */
async function forgetPayer(reference: string): Promise<void> {
  await at.ledger
    .updateTable('credits')
    .set({ payer: JSON.stringify({ name: 'Jón' }) })
    .where('reference', '=', reference)
    .execute();
}

async function makeUnmatched({ order, reference }: { order: string; reference: string }): Promise<void> {
  await forgetPayer(reference);
  await at.settle(order, 'issue', randomHash(), 'account is blocked');
}

async function recover(debit: string, amount: bigint): Promise<void> {
  const set = { state: 'open' as const, recovered: minorUnits(amount) };
  await at.ledger.updateTable('claims').set(set).where('reversal', '=', debit).where('state', 'in', ['pending', 'open']).execute();
}

it('stops the return that an operator makes at the same moment', async () => {
  const credit = await reversedCredit();
  await makeUnmatched(credit);
  let effect: ReturnType<typeof takeBack> | undefined;
  await inTransaction(at.ledger, async (tx) => {
    await returnCredit(tx, credit.reference, { name: 'Jón', iban: payerIban });
    effect = takeBack(credit);
    await isWaiting();
  });
  expect(await effect).toBe('reversed');
  expect(await claimOf(credit.debit)).toBeUndefined();
  expect((await at.credit(credit.reference)).state).toBe('reversed');
  expect((await at.payments()).map(({ state }) => state)).toEqual(['refused']);
});

it('waits for the settler, which locks legs before credits too', async () => {
  const credit = await reversedCredit();
  await forgetPayer(credit.reference);
  const legId = await legOf(credit.order);
  let effect: ReturnType<typeof takeBack> | undefined;
  await inTransaction(at.ledger, async (tx) => {
    await sql`select from open_legs where id = ${legId} for update`.execute(tx);
    effect = takeBack(credit);
    await isWaiting();
    await settleLegs(tx, [{ legId, txHash: randomHash(), blockNumber: 7n, refused: 'account is blocked' }]);
  });
  expect(await effect).toBe('reversed');
  expect(await at.legs(credit.order)).toBe('issue refused');
});

it('as an operator explains it waits for the order without the debit being locked', async () => {
  const credit = await reversedCredit();
  let effect: Promise<unknown> | undefined;
  await inTransaction(at.ledger, async (tx) => {
    await sql`select from open_legs where order_id = ${credit.order} for update`.execute(tx);
    const explanation = { as: 'reversal-of' as const, credits: [credit.reference] };
    effect = explainDebit(at.ledger, credit.debit, { explanation, reason: 'the bank says so', operator: 'jane' });
    await isWaiting();
    await sql`select from bank_debits where reference = ${credit.debit} for update`.execute(tx);
  });
  await effect;
  expect((await at.credit(credit.reference)).state).toBe('reversed');
});

it('takes nothing back of a credit of which an operator lets another debit take a part back at the same moment', async () => {
  const credit = await reversedCredit();
  const part = `part of ${credit.reference}`;
  await bankDebits(part, 100n);
  let refusal: Promise<void> | undefined;
  await inTransaction(at.ledger, async (tx) => {
    const explanation = { as: 'reversal-of' as const, credits: [credit.reference] };
    await explainDebit(tx, part, { explanation, reason: 'the bank says so', operator: 'jane' });
    // It fails at the commit: whoever awaits it only afterwards is too late.
    refusal = expect(takeBack(credit)).rejects.toMatchObject({
      code: 'import_busy',
      message: expect.stringContaining('was changed just now') as string,
    });
    await isWaiting();
  });
  await refusal;
  expect(await claimOf(part)).toEqual({ state: 'open' });
});

it('takes nothing back by a debit that an operator explains at the same moment', async () => {
  const { order, reference } = await at.credited();
  await report(reference);
  await bankDebits(reference, 300n);
  let outcomes: ReturnType<typeof reverseCredits> | undefined;
  await inTransaction(at.ledger, async (tx) => {
    await explainDebit(tx, reference, { explanation: { as: 'fee' }, reason: 'the bank says so', operator: 'jane' });
    outcomes = inTransaction(at.ledger, (other) => reverseCredits(other, { debits: [reference], documents: [] }));
    await isWaiting();
  });
  expect((await outcomes)?.map(({ debit }) => debit)).not.toContain(reference);
  expect([(await at.credit(reference)).state, await at.legs(order)]).toEqual(['matched', 'issue ready']);
});

it('ends an open claim when the bank refuses the return after all, unless some of it is recovered', async () => {
  for (const recovered of [0n, 100n]) {
    const credit = await reversedCredit();
    await makeUnmatched(credit);
    const { payment } = await returnCredit(at.ledger, credit.reference, { name: 'Jón', iban: payerIban });
    await at.sendAll();
    expect(await takeBack(credit)).toBe('pending');
    await recover(credit.debit, recovered);
    await at.decide(payment as string, 'AC04');
    expect([(await claimOf(credit.debit))?.state, (await at.credit(credit.reference)).state]).toEqual(
      recovered === 0n ? ['void', 'reversed'] : ['open', 'unmatched'],
    );
    await recover(credit.debit, 0n);
  }
});

/** The chain has issued the tokens of an order, in a transaction that this ledger has lost. */
async function issuedBefore(order: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into unrecorded_outcomes (chain, kind, token, currency, order_id, account, amount, sequence, tx_hash, block_number)
    select chain, 'issue', '0x12', currency, order_id, account, amount, (select 5 + count(*) from unrecorded_outcomes), ${randomHash()}, 9
    from legs where order_id = ${order} returning id`.execute(at.ledger);
  return rows[0]?.id ?? '';
}

const recoverAll = () => recoverLedger(at.ledger, { apply: true, operator: 'otto', defaultMemo: 'memo', chains: [] });

const mayBeSent = async (order: string) => {
  const { rows } = await sql`select from legs l where l.order_id = ${order} and ${isIssuable}`.execute(at.ledger);
  return rows.length > 0;
};

it('in a restored ledger becomes a claim when the chain has issued the tokens already', async () => {
  const credit = await reversedCredit();
  await beginRecovery(at.ledger, 'otto');
  expect(await takeBack(credit)).toBe('pending');
  expect(await mayBeSent(credit.order)).toBe(false);
  await issuedBefore(credit.order);
  await recoverAll();
  expect([await claimOf(credit.debit), await at.legs(credit.order)]).toEqual([{ state: 'open' }, 'issue done']);
});

it('in a restored ledger rejects the order once the recovery shows that nothing was issued', async () => {
  const credit = await reversedCredit();
  await beginRecovery(at.ledger, 'otto');
  expect(await takeBack(credit)).toBe('pending');
  await recoverAll();
  expect(await openRecovery(at.ledger)).toBeUndefined();
  expect([(await claimOf(credit.debit))?.state, (await at.credit(credit.reference)).state]).toEqual(['void', 'reversed']);
  expect(await at.legs(credit.order)).toBe('issue refused');
});

it('becomes a claim also when an operator had set the issue aside before the credit was imported again', async () => {
  const credit = await reversedCredit();
  const outcome = await issuedBefore(credit.order);
  await sql`update unrecorded_outcomes set state = 'set_aside', reason = 'x', decided_at = now() where id = ${outcome}`.execute(at.ledger);
  expect(await takeBack(credit)).toBe('pending');
  await recoverAll();
  expect(await claimOf(credit.debit)).toEqual({ state: 'open' });
});
