import { CompiledQuery } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewCredit } from '../../src/ledger/bank/match-credits.ts';
import { clarifyCredits, recordCredits } from '../../src/ledger/bank/credits.ts';
import { recordDebits } from '../../src/ledger/bank/debits/bank-debits.ts';
import { takeCreditsBack } from '../../src/ledger/bank/claims/taken-back.ts';
import { undoReversal } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { takePaymentBatch } from '../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { replaceCredits, markRepeated } from '../../src/ledger/bank/reported-credits.ts';
import { matchToPayment, planPaymentMatch } from '../../src/ledger/bank/returns/payment-match.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { bookCharges } from '../../src/ledger/bank/booked-charges.ts';
import { settleCredit } from '../../src/ledger/bank/unmatched/settle-credit.ts';
import { matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { recordRecall, undoRecall } from '../../src/ledger/bank/recalls/recall-records.ts';
import { answerRecall, listRecalls } from '../../src/ledger/bank/recalls/recalls.ts';
import { endToEndIdOf } from '../../src/ledger/end-to-end-id.ts';
import { closeSettled, forgetReverts, reopenFrom } from '../../src/ledger/lanes/mined-transactions.ts';
import { markFailed, markMined, markUnmined, recordCancellation } from '../../src/ledger/lanes/transactions.ts';
import { inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { insertRedemption } from '../../src/ledger/orders/placement/insert-redemptions.ts';
import { decideSignature, requestSignature, type SignatureDecision } from '../../src/ledger/orders/signature-requests.ts';
import { retryGiveBack } from '../../src/ledger/orders/stuck-orders.ts';
import type { Counterpart } from '../../src/schema/column-types.ts';
import type { LegKind } from '../../src/schema/states.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createPaymentsLedger, type PaymentsLedger, payeeIban, payerIban, randomHash } from '../ledger/bank/payments-ledger.ts';
import { read } from './pages.ts';
import { documentedRows, type StateTable, stateTables, stateWriters, transitionsOf } from './transitions.ts';
import { unsignedDraft } from '../support/redemptions.ts';
import { endLeg } from '../support/end-leg.ts';
import { sendReady } from '../support/claim-ready.ts';

const documented = documentedRows(read('docs/transitions.md'));
const options = { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur', 'sepolia:eur'] };
const signer = lowerAddress(`0x${'1'.repeat(40)}`);
const token = `0x${'2'.repeat(40)}`;

let payments: PaymentsLedger;
let ledger: Ledger;
let customer: TestCustomer;
let recipient: TestCustomer;
/** The states of each table, as its check constraint has them. */
const states = new Map<StateTable, string[]>();
let nonce = 0n;

beforeAll(async () => {
  payments = await createPaymentsLedger();
  ledger = payments.ledger;
  customer = await createCustomer(ledger, 'chiado');
  recipient = await createCustomer(ledger, 'sepolia');
  await recordTransitions();
  for (const table of Object.values(stateTables)) states.set(table, await statesOf(table));
});

afterAll(() => payments?.close({ isBooked: false }));

describe('the tables of transitions in docs/transitions.md', () => {
  it('name every function that writes a state, and no other', () => {
    const written = stateWriters().map(({ table, name }) => `${table}: ${name}`);
    expect([...new Set(documented.map(({ table, by }) => `${table}: ${by}`))].toSorted()).toEqual(written.toSorted());
  });

  it.each(stateWriters())('name every state that $name mentions of $table', ({ table, name, text }) => {
    const mentioned = (states.get(table) ?? []).filter((state) => new RegExp(`'${state}'`).test(text));
    const words = documented.filter((row) => row.table === table && row.by === name).flatMap((row) => row.words);
    // A state of another table of the same function has the same name at times.
    const elsewhere = documented.filter((row) => row.table !== table && row.by === name).flatMap((row) => row.words);
    expect([...words, ...elsewhere]).toEqual(expect.arrayContaining(mentioned));
  });

  it('name states that the table allows, and each of them', () => {
    for (const [table, allowed] of states) {
      const named = documented.filter((row) => row.table === table).flatMap(({ from, to }) => from.concat(to));
      expect([...new Set(named)].filter((state) => state !== 'new').toSorted(), table).toEqual(allowed.toSorted());
    }
  });

  it('are the transitions that the ledger makes, and no others', async () => {
    await issueOrders();
    await redemptionsToBank();
    await redemptionToChain();
    await signatureRequests();
    await transactions();
    await paymentsAndCredits();
    expect(await observed()).toEqual(transitionsOf(documented));
  });
});

/** Keeps every change of a state in a table of this test's own. */
async function recordTransitions(): Promise<void> {
  await execute(`create table observed (transition text primary key)`);
  await execute(`create function observe() returns trigger language plpgsql as $$ begin
    insert into observed values (tg_table_name || ': ' || case tg_op when 'INSERT' then 'new' else old.state end || ' → ' || new.state)
    on conflict do nothing;
    return null; end $$`);
  for (const table of Object.values(stateTables).filter((name) => name !== 'legs'))
    for (const on of [`after insert on ${table} for each row`, `after update on ${table} for each row when (old.state <> new.state)`])
      await execute(`create trigger observe_${on.startsWith('after insert') ? 'insert' : 'update'} ${on} execute function observe()`);
  await recordLegs();
}

/** A leg goes from one table to another when it ends, and when it is open again. */
async function recordLegs(): Promise<void> {
  await execute(`create table states_before (leg uuid primary key, state text not null)`);
  await execute(`create function keep_state() returns trigger language plpgsql as $$ begin
    insert into states_before values (old.id, to_jsonb(old) ->> tg_argv[0]) on conflict (leg) do update set state = excluded.state;
    return case tg_op when 'DELETE' then old else new end; end $$`);
  await execute(`create function observe_leg() returns trigger language plpgsql as $$ begin
    insert into observed select 'legs: ' || case when tg_op = 'UPDATE' and tg_table_name = 'open_legs' then to_jsonb(old) ->> 'state'
      else coalesce((select state from states_before where leg = new.id), 'new') end || ' → ' || (to_jsonb(new) ->> tg_argv[0])
    on conflict do nothing;
    return null; end $$`);
  for (const [name, on] of [
    ['before_end', `before delete on open_legs for each row execute function keep_state('state')`],
    ['before_again', `before update on leg_history for each row when (old.outcome is not null) execute function keep_state('outcome')`],
    [
      'end',
      `after update on leg_history for each row when (old.outcome is null and new.outcome is not null) execute function observe_leg('outcome')`,
    ],
    ['insert', `after insert on open_legs for each row execute function observe_leg('state')`],
    ['update', `after update on open_legs for each row when (old.state <> new.state) execute function observe_leg('state')`],
  ] as const)
    await execute(`create trigger observe_${name} ${on}`);
}

async function observed(): Promise<string[]> {
  const { rows } = await execute(`select transition from observed`);
  return rows.map(({ transition }) => transition as string).toSorted();
}

async function statesOf(table: StateTable): Promise<string[]> {
  const names = table === 'legs' ? ['open_legs_state_check', 'leg_history_outcome_check'] : [`${table}_state_check`];
  const { rows } = await execute(
    `select string_agg(pg_get_constraintdef(oid), ' ') as text from pg_constraint where conname in ('${names.join("', '")}')`,
  );
  return [...String(rows[0]?.['text']).matchAll(/'(\w+)'/g)].map(([, state = '']) => state);
}

async function execute(statement: string): Promise<{ rows: Record<string, unknown>[] }> {
  return ledger.executeQuery(CompiledQuery.raw(statement)) as Promise<{ rows: Record<string, unknown>[] }>;
}

/** Done and refused; without and with a lane's transaction. The credit of a payer without an account waits for the operator. */
async function issueOrders(): Promise<void> {
  await end(await credited(), 'issue');
  await end(await credited(), 'issue', 'blocked');
  await end(await credited({ payer: { name: 'Jón' } }), 'issue', 'blocked');
  const [done, refused] = [await credited(), await credited()];
  await send();
  await end(done, 'issue');
  await end(refused, 'issue', 'blocked');
}

async function redemptionsToBank(): Promise<void> {
  const [paid, refused] = [await placed(toBank), await placed(toBank)];
  await send();
  for (const id of [paid, refused]) await end(id, 'redeem');
  await makePaymentsOfLegs(ledger, 100);
  await payments.sendAll();
  await decidePayout(paid, null);
  await decidePayout(refused, 'account closed');
  await end(refused, 'issue', 'blocked');
  await retryGiveBack(ledger, refused);
  await end(refused, 'issue', null, 2n);
  await end(await placed(toBank), 'redeem', 'the account holds less than the amount');
}

async function redemptionToChain(): Promise<void> {
  const id = await placed({ identifier: { standard: 'chain', address: recipient.address, chain: 'sepolia' }, details: {} });
  await end(id, 'redeem');
  const dependent = await ledger.selectFrom('orders').where('sourceOrder', '=', id).select('id').executeTakeFirstOrThrow();
  await end(dependent.id, 'issue');
}

async function signatureRequests(): Promise<void> {
  const verdicts: SignatureDecision[] = [{ state: 'valid' }, { state: 'invalid', reason: 'no' }, { state: 'expired', reason: 'late' }];
  for (const verdict of verdicts) {
    const request = { kind: 'order' as const, draft: draftTo(toBank), signature: '0x', correlationId: null };
    const id = await requestSignature(ledger, { ...request, digest: request.draft.digest });
    await decideSignature(ledger, id as string, verdict);
  }
}

async function transactions(): Promise<void> {
  await markFailed(ledger, await sendOne(), { state: 'lost' });
  await markFailed(ledger, await sendOne(), { state: 'reverted', ...mined() });
  for (const failure of [{ state: 'lost' as const }, { state: 'reverted' as const, ...mined() }]) {
    const id = await sendOne();
    await markMined(ledger, id, mined());
    await markFailed(ledger, id, failure);
  }
  const cancelled = await sendOne();
  const attempt = { hash: randomHash(), raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, gasLimit: 21_000n };
  await recordCancellation(ledger, cancelled, attempt, 1n);
  const id = await sendOne();
  await markMined(ledger, id, mined());
  await markUnmined(ledger, id, 2n);
  await markMined(ledger, id, mined());
  for (const leg of await ledger.selectFrom('legs').where('transaction', '=', id).select(['orderId']).execute())
    await end(leg.orderId, 'redeem');
  await closeSettled(ledger, [id]);
  const lane = { chain: 'chiado' as const, signer };
  await reopenFrom(ledger, lane, { from: 0n, atBlock: 3n, limit: 1_000 });
  const again = await sendOne();
  await markMined(ledger, again, mined());
  await reopenFrom(ledger, lane, { from: 0n, atBlock: 3n, limit: 1_000 });
  await forgetReverts(ledger, lane, 0n);
}

const mined = () => ({ hash: randomHash(), blockNumber: 1n, blockHash: randomHash(), gasUsed: 1n });

async function sendOne(): Promise<string> {
  await placed(toBank);
  return send();
}

async function paymentsAndCredits(): Promise<void> {
  for (const refused of [null, 'account closed']) {
    const { id } = await payments.sentPayout();
    await payments.decide(id, refused);
  }
  await payments.burnt();
  await payments.burnt();
  await makePaymentsOfLegs(ledger, 100);
  await takePaymentBatch(ledger, {
    limit: 100,
    collectSeconds: 0,
    plan: ([first, ...others]) => ({
      accepted: first === undefined ? [] : [first.id],
      refused: others.map(({ id }) => ({ id, reason: 'unknown account' })),
      sent: [],
    }),
  });

  await payments.refusedCredit();
  await makePaymentsOfLegs(ledger, 100);
  const returned = await unmatched();
  await returnCredit(ledger, returned);
  await payments.sendAll();
  for (const { id } of await ledger.selectFrom('payments').where('state', '=', 'sent').where('kind', '=', 'return').select('id').execute())
    await payments.decide(id, 'account closed');

  const matched = await unmatched();
  await ledger.updateTable('ibans').set({ iban: unassignedIban }).where('profile', '=', recipient.profile).execute();
  await matchCredit(ledger, matched, options);
  const replaced = await unmatched({ iban: 'IS140159260076545510730340' });
  await inTransaction(ledger, (tx) => replaceCredits(tx, [{ reference: replaced, remaining: null }]));
  await settleCredit(ledger, {
    reference: await unmatched({ iban: 'IS140159260076545510730340' }),
    as: 'own',
    reason: 'a top-up',
    operator: 'jane',
  });
  const [counted, other] = [
    await unmatched({ iban: 'IS140159260076545510730340' }),
    await unmatched({ iban: 'IS140159260076545510730340' }),
  ];
  // The recipient's IBAN was changed above: this is read again as a report that names it.
  await clarifyCredits(
    ledger,
    [credit({ iban: unassignedIban, reference: await unmatched({ iban: 'IS140159260076545510730340' }) })],
    options,
  );
  await inTransaction(ledger, (tx) => markRepeated(tx, [{ reference: other, repeats: counted }]));
  await paymentsThatCameBack();
  await creditsTakenBack();
}

async function paymentsThatCameBack(): Promise<void> {
  const payout = await payments.sentPayout();
  const { reference } = await payments.refusedCredit();
  const byHand = await unmatched({ iban: 'IS140159260076545510730340' });
  await returnCredit(ledger, byHand);
  await makePaymentsOfLegs(ledger, 100);
  await payments.sendAll();
  const returns = await ledger.selectFrom('payments').where('credit', 'in', [reference, byHand]).select('id').execute();
  for (const { id } of [payout, ...returns]) {
    await payments.decide(id, null);
    const { amount } = await ledger.selectFrom('payments').where('id', '=', id).select('amount').executeTakeFirstOrThrow();
    const back = await unmatched({ amount, railReason: 'payment_returned', unmatched: 'it came back', endToEndId: endToEndIdOf(id) });
    await matchToPayment(ledger, await planPaymentMatch(ledger, back));
  }
}

async function creditsTakenBack(): Promise<void> {
  const reversal = await takeBack(await unmatched({ iban: 'IS140159260076545510730340' }));
  await undoReversal(ledger, reversal, { reason: 'it was another credit', operator: 'test' });
  await takeBack((await record({})).reference);
  const withRest = await unmatched({ iban: 'IS140159260076545510730340' });
  await inTransaction(ledger, (tx) =>
    bookCharges(tx, [{ credit: withRest, kept: minorUnits(-50n), bookedOn: null, statements: [] }], 'test'),
  );
  await settleCredit(ledger, { reference: `${withRest}#rest`, as: 'own', reason: 'charges', operator: 'jane' });
  await takeBack(withRest, 50n);
  const byHand = await unmatched({ iban: 'IS140159260076545510730340', payer: { name: 'Jane' } });
  await returnCredit(ledger, byHand);
  await takeBack(byHand);
  await undoRecall(ledger, await acceptedRecall(), { reason: 'the bank says so', operator: 'test' });
  const payout = await payments.sentPayout();
  await payments.decide(payout.id, null);
  const back = await unmatched({ railReason: 'payment_returned', unmatched: 'it came back', endToEndId: endToEndIdOf(payout.id) });
  await matchToPayment(ledger, { ...(await planPaymentMatch(ledger, back, payout.id)) });
  await takeBack(back);
  const sent = await record({});
  await send();
  await takeBack(sent.reference);
  await end(sent.orderId as string, 'issue', 'blocked');
  const refused = await record({});
  await end(refused.orderId as string, 'issue', 'blocked');
  await takeBack(refused.reference);
}

/** A recall that was accepted for an unmatched credit, of which the bank has taken nothing. */
async function acceptedRecall(): Promise<string> {
  const uetr = randomUUID();
  await unmatched({ uetr, iban: 'IS140159260076545510730340' });
  const recall = { amount: minorUnits(300n), currency: 'eur', payment: { uetr }, assigner: {}, assignee: {}, creator: {} };
  await inTransaction(ledger, async (tx) => recordRecall(tx, 'recall.xml', { recall, endToEndId: undefined }));
  const [open] = await listRecalls(ledger, 1);
  const decision = { kind: 'accepted', credit: undefined } as const;
  const compose = () => ({ name: `${uetr}.xml`, content: '' });
  return (await answerRecall(ledger, { id: open?.id ?? '', decision, operator: 'test', compose })).id;
}

/** Returns the debit. */
async function takeBack(credit: string, rest = 0n): Promise<string> {
  const { amount, currency, bankAccount } = await ledger
    .selectFrom('credits')
    .where('reference', '=', credit)
    .select(['amount', 'currency', 'bankAccount'])
    .executeTakeFirstOrThrow();
  const facts = { isSum: false, payee: {}, files: [], bookedOn: '2026-11-20', takesBack: 'reversal' };
  const debit = {
    reference: randomUUID(),
    account: bankAccount,
    amount: minorUnits((amount ?? 0n) + rest),
    currency: currency as string,
    ...facts,
  };
  await inTransaction(ledger, async (tx) => {
    await recordDebits(tx, [{ debit }], 'test');
    await takeCreditsBack(tx, {
      debit: debit.reference,
      amount: debit.amount,
      credits: [credit],
      reason: 'reversal',
      bookedOn: debit.bookedOn,
    });
    await tx.updateTable('bankDebits').set({ state: 'reversal' }).where('reference', '=', debit.reference).execute();
  });
  return debit.reference;
}

const toBank: Counterpart = { identifier: { standard: 'iban', iban: payeeIban }, details: { name: 'Jane', country: 'DE' } };
const unassignedIban = 'NL56AGDH9619008421';

const draftTo = (counterpart: Counterpart) => unsignedDraft({ profile: customer.profile, address: customer.address, counterpart });

async function placed(counterpart: Counterpart): Promise<string> {
  const draft = draftTo(counterpart);
  await inTransaction(ledger, (tx) => insertRedemption(tx, draft, 'by key'));
  return draft.id;
}

function credit(more: Partial<NewCredit>): NewCredit {
  return {
    reference: randomUUID(),
    bankAccount: 'sandbox',
    iban: customer.iban,
    currency: 'eur',
    amount: minorUnits(300n),
    payer: { name: 'Jón', iban: payerIban },
    ...more,
  };
}

async function record(more: Partial<NewCredit>) {
  const reported = credit(more);
  const [recorded] = await recordCredits(ledger, [reported], options);
  return { reference: reported.reference, orderId: recorded?.orderId };
}

const credited = async (more: Partial<NewCredit> = {}): Promise<string> => (await record(more)).orderId as string;
const unmatched = async (more: Partial<NewCredit> = {}): Promise<string> => (await record({ iban: unassignedIban, ...more })).reference;

/** Puts everything that is ready on the chain into one transaction, as a lane does. Returns the transaction's id. */
async function send(): Promise<string> {
  nonce += 1n;
  return (await sendReady(ledger, { chain: 'chiado', signer, tokens: { eur: token }, nonce })).id;
}

/** The bank decides the payment of a payout. */
async function decidePayout(order: string, refused: string | null): Promise<void> {
  const payout = ledger.selectFrom('payments as p').innerJoin('legs as l', 'l.id', 'p.leg').where('l.orderId', '=', order).select('p.id');
  await payments.decide((await payout.executeTakeFirstOrThrow()).id, refused);
}

const end = (order: string, kind: LegKind, refused: string | null = null, blockNumber = 1n) =>
  endLeg(ledger, order, kind, { refused, blockNumber });
