import { sql } from 'kysely';
import { createSandboxRail, sandboxPayees } from '../../../src/bank/sandbox-rail.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import type { NewCredit } from '../../../src/ledger/bank/match-credits.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { decidePayments } from '../../../src/ledger/bank/payment-decisions.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { rejectPayout, settleBookedDebits } from '../../../src/ledger/bank/payments.ts';
import { replaceCredits } from '../../../src/ledger/bank/reported-credits.ts';
import { matchCredit } from '../../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { rollForward } from '../../../src/ledger/book/roll-forward.ts';
import { endToEndIdOf } from '../../../src/ledger/end-to-end-id.ts';
import { recordTokenOpening } from '../../../src/ledger/lanes/token-openings.ts';
import { inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { rejectUnsigned, releaseRedemption } from '../../../src/ledger/orders/lifecycle.ts';
import { insertRedemption } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { retryGiveBack } from '../../../src/ledger/orders/stuck-orders.ts';
import type { LowerAddress } from '../../../src/platform/addresses.ts';
import { MintrailError } from '../../../src/platform/errors.ts';
import { type Currency, type MinorUnits, minorUnits } from '../../../src/platform/money.ts';
import type { Random } from '../../simulation/random.ts';
import type { TestCustomer } from '../../support/customer.ts';
import { payeeIban, payerIban, randomHash } from '../bank/payments-ledger.ts';

/** The account of the statements and payment files; the other account is the simulated bank's. */
export const master = 'NL26VAYB8060476890';

const options = { source: 'statement.xml', defaultMemo: 'memo', tokens: ['chiado:eur', 'chiado:gbp', 'sepolia:eur'] };

/** One thing that may happen to a ledger at any time. It changes nothing when there is nothing that it could happen to. */
type Action = (at: Step) => Promise<unknown>;

interface Step {
  ledger: Ledger;
  random: Random;
  customer: TestCustomer;
  /** A number that no other step has. */
  number: number;
}

/** What happens in a step, by its weight. */
const actions: readonly (readonly [weight: number, name: string, action: Action])[] = [
  [4, 'credits', receiveCredits],
  [3, 'match', matchRandomCredit],
  [4, 'return', returnRandomCredit],
  [2, 'replace', replaceSum],
  [8, 'redemption', placeRandomRedemption],
  [12, 'settle', settleRandomLegs],
  [2, 'verdict', decideSignature],
  [4, 'payments', async ({ ledger }) => makePaymentsOfLegs(ledger, 100)],
  [6, 'hand over', handOver],
  [3, 'pain.002', decideRandomPayments],
  [6, 'debits', reportDebits],
  [1, 'reject', rejectRandomPayout],
  [2, 'retry', retryRandomGiveBack],
  [2, 'roll forward', async ({ ledger }) => rollForward(ledger)],
  [1, 'opening', openToken],
];

/**
 * Takes a step: one action, the same action by two workers at once, or one that dies before its commit. What the ledger refuses
 * (`MintrailError`) is no failure.
 */
export async function takeStep(at: Step): Promise<string> {
  const { random } = at;
  const total = actions.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.integer('action', 1, total);
  const [, name, action] = actions.find(([weight]) => (left -= weight) <= 0) ?? actions[0]!;
  if (random.chance('crash', 0.1)) {
    const crash = new Error('the process died');
    const died = inTransaction(at.ledger, async (tx) => {
      await refusable(action({ ...at, ledger: tx }));
      throw crash;
    });
    await died.catch((error: unknown) => {
      if (error !== crash) throw error;
    });
    return `${name}, crashed`;
  }
  const isTwice = random.chance('two workers', 0.2);
  await Promise.all([refusable(action(at)), ...(isTwice ? [refusable(action(at))] : [])]);
  return isTwice ? `${name}, twice` : name;
}

/** What the ledger refuses is no failure. */
async function refusable(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof MintrailError)) throw error;
  });
}

/** A random one of the texts that a query returns; undefined for none. */
async function pick({ ledger, random }: Step, name: string, query: ReturnType<typeof sql<{ id: string }>>): Promise<string | undefined> {
  const { rows } = await query.execute(ledger);
  return rows.length === 0 ? undefined : random.pick(name, rows).id;
}

async function receiveCredits(at: Step): Promise<void> {
  const credits = Array.from({ length: at.random.integer('credits', 1, 3) }, (_, index) =>
    randomCredit({ ...at, random: at.random.of(`credit ${index}`) }, index),
  );
  await recordCredits(at.ledger, credits, options);
}

function randomCredit({ random, customer, number }: Step, index: number): NewCredit {
  const bankAccount = random.pick('account', [master, 'sandbox']);
  const currency = random.pick('currency', ['eur', 'eur', 'gbp', 'chf']);
  // Now and then one that was reported before.
  const reported = random.chance('repeat', 0.1) ? random.integer('before', 0, number) : number;
  const isSum = random.chance('sum', 0.2);
  const doubt = isSum ? 'batch_without_details' : random.pick('doubt', [undefined, undefined, undefined, 'reference_missing']);
  const { amount, ...credit } = {
    reference: `${bankAccount}:${reported}-${index}`,
    bankAccount,
    iban: customer.iban,
    currency,
    amount: minorUnits(BigInt(random.integer('amount', 2, 100_000))),
    payer: { name: 'Jón', ...(random.chance('payer', 0.6) && { iban: payerIban }) },
    bookedOn: `2026-05-0${random.integer('day', 1, 9)}`,
    isSum,
  };
  const unmatched = doubt === undefined ? {} : { railReason: doubt, unmatched: 'the reader doubts it' };
  if (random.chance('unknown', 0.05)) return { ...credit, railReason: 'amount_malformed', unmatched: 'no amount' };
  return { ...credit, amount, ...unmatched };
}

async function matchRandomCredit(at: Step): Promise<void> {
  const query = sql<{ id: string }>`select reference as id from credits
    where state = 'unmatched' and coalesce(rail_reason, '') in ('', 'reference_missing') order by reference`;
  const reference = await pick(at, 'credit', query);
  if (reference !== undefined) await matchCredit(at.ledger, reference, options);
}

async function returnRandomCredit(at: Step): Promise<void> {
  const reference = await pick(at, 'credit', sql`select reference as id from credits where state = 'unmatched' order by reference`);
  if (reference !== undefined) await returnCredit(at.ledger, reference);
}

/** A later report lists transactions of a sum, all of it or a part, in one database transaction, as an import does. */
async function replaceSum(at: Step): Promise<void> {
  const { rows } = await sql<{ reference: string; amount: MinorUnits; currency: string; bankAccount: string }>`
    select reference, amount, currency, bank_account from credits
    where state = 'unmatched' and rail_reason = 'batch_without_details' and amount > 1 and reference not like '%#%' order by reference
  `.execute(at.ledger);
  if (rows.length === 0) return;
  const { reference, amount, currency, bankAccount } = at.random.pick('sum', rows);
  const isWhole = at.random.chance('whole', 0.5);
  const part = isWhole ? amount : minorUnits(amount / 2n);
  await inTransaction(at.ledger, async (tx) => {
    await replaceCredits(tx, [{ reference, remaining: isWhole ? null : minorUnits(amount - part) }]);
    const { amount: _, ...credit } = randomCredit(at, 0);
    // Either the transactions of the sum, or a clearer report with its reference.
    const own = isWhole && at.random.chance('same', 0.5) ? reference : `${reference}-${at.number}`;
    await recordCredits(tx, [{ ...credit, reference: own, bankAccount, currency, amount: part, isSum: false }], options);
  });
}

async function placeRandomRedemption({ ledger, random, customer, number }: Step): Promise<void> {
  const isToChain = random.chance('to chain', 0.3);
  const iban = random.pick('payee', [payeeIban, payeeIban, sandboxPayees.refused, sandboxPayees.slow]);
  const currency = isToChain ? 'eur' : random.pick<Currency>('currency', ['eur', 'gbp']);
  const signature = random.pick('signature', ['by key', 'by key', 'by contract', 'awaited'] as const);
  const draft = {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    profile: customer.profile,
    address: customer.address,
    chain: 'chiado' as const,
    currency,
    amount: String(random.integer('amount', 1, 100_000)),
    counterpart: {
      identifier: isToChain
        ? { standard: 'chain' as const, address: customer.address, chain: 'sepolia' as const }
        : { standard: 'iban' as const, iban },
      details: { firstName: 'Jane', lastName: 'Doe', country: 'DE' },
    },
    memo: 'Rent',
    referenceNumber: null,
    message: 'a message',
    digest: `0x${String(number).padStart(64, '0')}`,
    signature: '0x',
    supportingDocument: null,
    requestHash: '00'.repeat(32),
    correlationId: null,
  };
  await inTransaction(ledger, (tx) => insertRedemption(tx, draft, signature));
}

/** The chain ends some of the legs that it could carry out. */
async function settleRandomLegs({ ledger, random, number }: Step): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from legs where state in ('ready', 'sent') and kind in ('issue', 'redeem') order by id
  `.execute(ledger);
  const outcomes = rows
    .filter((_, index) => random.chance(`leg ${index}`, 0.5))
    .map(({ id }, index) => {
      const refused = random.chance(`refused ${index}`, 0.3) ? 'the account is blocked' : null;
      return { legId: id, txHash: randomHash(), blockNumber: BigInt(number), refused };
    });
  await settleLegs(ledger, outcomes);
}

async function decideSignature(at: Step): Promise<void> {
  const query = sql<{ id: string }>`select order_id as id from legs where state = 'waiting' and position = 0 order by id`;
  const order = await pick(at, 'order', query);
  if (order === undefined) return;
  const isValid = at.random.chance('valid', 0.7);
  await inTransaction(at.ledger, (tx) => (isValid ? releaseRedemption(tx, order) : rejectUnsigned(tx, order, 'the signature is invalid')));
}

async function handOver({ ledger, random, number }: Step): Promise<void> {
  if (random.chance('sandbox', 0.3)) return void (await takePaymentBatch(ledger, createSandboxRail()));
  const content = `<DbtrAcct><Id><IBAN>${master}</IBAN></Id></DbtrAcct>`;
  const name = `pain.001-${number}-${randomHash()}.xml`;
  await takePaymentBatch(ledger, {
    limit: 100,
    collectSeconds: 0,
    plan: (payments) => ({ accepted: [], refused: [], sent: payments.map(({ id }) => id), file: { name, content } }),
  });
}

/** The bank decides some of the payments that it has. */
async function decideRandomPayments({ ledger, random }: Step): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from payments where state = 'sent' order by created_at, id`.execute(ledger);
  const decisions = rows
    .filter((_, index) => random.chance(`payment ${index}`, 0.5))
    .map(({ id }, index) => ({ id, refused: random.chance(`refused ${index}`, 0.5) ? 'AC04' : null }));
  await inTransaction(ledger, (tx) => decidePayments(tx, decisions, ['sent']));
}

/** A statement shows the debits of some payments, in whichever state they are. */
async function reportDebits({ ledger, random }: Step): Promise<void> {
  const { rows } = await sql<{ id: string; amount: MinorUnits; currency: string }>`
    select id, amount, currency from payments where file is not null order by created_at, id
  `.execute(ledger);
  const debits = rows
    .filter((_, index) => random.chance(`payment ${index}`, 0.2))
    .map(({ id, amount, currency }) => ({ endToEndId: endToEndIdOf(id), amount, currency, account: master, bookedOn: '2026-05-10' }));
  await inTransaction(ledger, (tx) => settleBookedDebits(tx, debits));
}

async function rejectRandomPayout(at: Step): Promise<void> {
  const id = await pick(at, 'payment', sql`select id from payments where kind = 'payout' order by created_at, id`);
  if (id !== undefined) await rejectPayout(at.ledger, id, 'the operator says so');
}

async function retryRandomGiveBack(at: Step): Promise<void> {
  const query = sql<{
    id: string;
  }>`select order_id as id from legs where kind = 'issue' and position > 0 and state = 'refused' order by id`;
  const order = await pick(at, 'order', query);
  if (order !== undefined) await retryGiveBack(at.ledger, order);
}

async function openToken({ ledger, random }: Step): Promise<void> {
  const token = `0x${String(random.integer('token', 1, 3)).repeat(40)}` as LowerAddress;
  const currency = random.pick<Currency>('currency', ['eur', 'gbp']);
  const supply = minorUnits(BigInt(random.integer('supply', 0, 1_000)));
  await recordTokenOpening(ledger, { chain: 'chiado', token, currency, block: 1n, supply }, 0n);
}
