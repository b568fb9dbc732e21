import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { randomBytes, randomUUID } from 'node:crypto';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { createLedger, inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { decidePayments } from '../../../src/ledger/bank/payment-decisions.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { insertRedemption, type RedemptionDraft } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import type { Chain } from '../../../src/platform/chains.ts';
import { createPool } from '../../../src/platform/database.ts';
import { type Currency, minorUnits } from '../../../src/platform/money.ts';
import { compareBookWithStates } from '../../../src/reconciliation/book-and-states.ts';
import { createCustomer } from '../../support/customer.ts';
import { createTestDatabase } from '../../support/database.ts';
import { emptyLedger } from '../../support/test-ledger.ts';

export const payeeIban = 'DE89370400440532013000';
export const payerIban = 'IS140159260076545510730339';

export interface PayoutSpec {
  iban?: string;
  amount?: bigint;
  currency?: Currency;
  memo?: string;
  referenceNumber?: string;
  details?: Record<string, unknown>;
  /** Another chain, on which the tokens are issued instead. */
  to?: Chain;
  /** Why the contract refuses the burn. */
  refused?: string;
}

/** A ledger with one customer, in which payouts and returns become due. */
export type PaymentsLedger = Awaited<ReturnType<typeof createPaymentsLedger>>;

/** The payments ledger of a test file: emptied before each test, unless they share its rows (`isShared`). For `isBooked` see its `close`. */
export function testPayments({ isShared = false, isBooked = true } = {}): PaymentsLedger {
  const at = {} as PaymentsLedger;
  beforeAll(async () => void Object.assign(at, await createPaymentsLedger()));
  if (!isShared) beforeEach(() => at.empty());
  if (!isShared && isBooked) afterEach(() => at.expectAgreement());
  afterAll(() => at.close({ isBooked }));
  return at;
}

export async function createPaymentsLedger() {
  const database = await createTestDatabase();
  const woken: string[] = [];
  const ledger: Ledger = createLedger(createPool({ connectionString: database.url }), { wake: (queue) => void woken.push(queue) });
  const customer = await createCustomer(ledger, 'chiado');

  /** A redemption whose tokens are burnt: its payout is ready. Returns the order and the burn's hash. */
  async function burnt(spec: PayoutSpec = {}): Promise<{ order: string; burn: string }> {
    const draft: RedemptionDraft = {
      id: randomUUID(),
      profile: customer.profile,
      address: customer.address,
      chain: 'chiado',
      currency: spec.currency ?? 'eur',
      amount: (spec.amount ?? 1250n).toString(),
      counterpart: {
        identifier: spec.to
          ? { standard: 'chain', address: customer.address, chain: spec.to }
          : { standard: 'iban', iban: spec.iban ?? payeeIban },
        details: spec.details ?? { firstName: 'Jane', lastName: 'Doe', country: 'DE' },
      },
      memo: spec.memo ?? 'Rent for May',
      referenceNumber: spec.referenceNumber ?? null,
      message: 'a message',
      digest: randomHash(),
      signature: '0x',
      supportingDocument: null,
      requestHash: randomBytes(32).toString('hex'),
      correlationId: null,
    };
    await inTransaction(ledger, (tx) => insertRedemption(tx, draft, 'by key'));
    const burn = randomHash();
    await settle(draft.id, 'redeem', burn, spec.refused);
    return { order: draft.id, burn };
  }

  /** Ends a leg as the chain does. */
  async function settle(order: string, kind: 'redeem' | 'issue', txHash: string, refused: string | null = null) {
    const { id } = await ledger
      .selectFrom('legs')
      .where('orderId', '=', order)
      .where('kind', '=', kind)
      .select('id')
      .executeTakeFirstOrThrow();
    return settleLegs(ledger, [{ legId: id, txHash, blockNumber: 7n, refused }]);
  }

  /** Ends a leg in a block. */
  const settleLeg = (legId: string, blockNumber: bigint, refused: string | null = null) =>
    settleLegs(ledger, [{ legId, txHash: randomHash(), blockNumber, refused }]);

  /** A credit that became an order. */
  async function credited(endToEndId?: string): Promise<{ order: string; reference: string }> {
    const reference = randomUUID();
    const credit = {
      reference,
      bankAccount: 'sandbox',
      iban: customer.iban,
      currency: 'eur',
      amount: minorUnits(300n),
      payer: { name: 'Jón Jónsson', iban: payerIban },
      bookedOn: '2026-05-04',
      ...(endToEndId === undefined ? {} : { endToEndId }),
    };
    const [recorded] = await recordCredits(ledger, [credit], { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'] });
    return { order: recorded?.orderId as string, reference };
  }

  /** A credit whose issue the contract refused: its return is ready. Returns the order and the credit's reference. */
  async function refusedCredit(endToEndId?: string): Promise<{ order: string; reference: string }> {
    const credit = await credited(endToEndId);
    await settle(credit.order, 'issue', randomHash(), 'account is blocked');
    return credit;
  }

  /** Hands all ready payments to a bank that says nothing yet. */
  const sendAll = () =>
    takePaymentBatch(ledger, {
      limit: 100,
      collectSeconds: 0,
      plan: (payments) => ({ accepted: [], refused: [], sent: payments.map(({ id }) => id) }),
    });

  /** A payout that is with the bank. */
  async function sentPayout() {
    const redemption = await burnt();
    await makePaymentsOfLegs(ledger, 100);
    await sendAll();
    const { id } = await ledger.selectFrom('payments').orderBy('createdAt', 'desc').limit(1).select('id').executeTakeFirstOrThrow();
    return { ...redemption, id };
  }

  /** Expects the book to say what the states say. */
  async function expectAgreement(): Promise<void> {
    expect((await compareBookWithStates(ledger)).filter(({ difference }) => difference !== 0n)).toEqual([]);
  }

  return {
    ledger,
    customer,
    /** Queues that were woken. */
    woken,
    sendAll,
    sentPayout,
    decide: (id: string, refused: string | null, from: ('ready' | 'sent')[] = ['sent']) =>
      inTransaction(ledger, (tx) => decidePayments(tx, [{ id, refused }], from)),
    url: database.url,
    burnt,
    credited,
    refusedCredit,
    settle,
    settleLeg,
    payments: () => ledger.selectFrom('payments').selectAll().orderBy('createdAt').execute(),
    files: () => ledger.selectFrom('paymentFiles').selectAll().orderBy('id').execute(),
    order: (id: string) => ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow(),
    /** `redeem done, payout sent`. */
    async legs(order: string): Promise<string> {
      const rows = await ledger.selectFrom('legs').where('orderId', '=', order).orderBy('position').select(['kind', 'state']).execute();
      return rows.map(({ kind, state }) => `${kind} ${state}`).join(', ');
    },
    credit: (reference: string) => ledger.selectFrom('credits').where('reference', '=', reference).selectAll().executeTakeFirstOrThrow(),
    /** Begins anew, with another customer. */
    async empty(): Promise<void> {
      await emptyLedger(ledger);
      Object.assign(customer, await createCustomer(ledger, 'chiado'));
      woken.length = 0;
    },
    expectAgreement,
    /** Expects the book to say what the states say, unless the test made states that no transition makes (not `isBooked`). */
    async close({ isBooked = true } = {}): Promise<void> {
      try {
        if (isBooked) await expectAgreement();
      } finally {
        await ledger.destroy();
        await database.drop();
      }
    },
  };
}

export function randomHash(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}
