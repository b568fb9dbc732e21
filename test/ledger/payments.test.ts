import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endToEndIdOf, idOfEndToEndId } from '../../src/ledger/end-to-end-id.ts';
import { takeBatch } from '../../src/ledger/payment-batches.ts';
import { decidePayments } from '../../src/ledger/payment-decisions.ts';
import { makePaymentsOfLegs } from '../../src/ledger/payment-legs.ts';
import { rejectPayout, requestReturn, settleBookedDebits } from '../../src/ledger/payments.ts';
import { returnCredit } from '../../src/ledger/unmatched-credits.ts';
import { createPaymentsLedger, payeeIban, payerIban, type PaymentsLedger, randomHash } from './payments-ledger.ts';

let at: PaymentsLedger;

beforeEach(async () => {
  at = await createPaymentsLedger();
});

afterEach(() => at.close());

const hour = 3_600;
const sendAll = () =>
  takeBatch(at.ledger, {
    limit: 100,
    collectSeconds: 0,
    plan: (payments) => ({ accepted: [], refused: [], sent: payments.map(({ id }) => id) }),
  });
const decide = (id: string, refused: string | null, from: ('ready' | 'sent')[] = ['sent']) =>
  at.ledger.transaction().execute((tx) => decidePayments(tx, [{ id, refused }], from));

/** A payout that is with the bank. */
async function sentPayout(spec: Parameters<typeof at.burnt>[0] = {}) {
  const { order, burn } = await at.burnt(spec);
  await makePaymentsOfLegs(at.ledger, 100);
  await sendAll();
  const payment = (await at.payments()).at(-1);
  if (payment === undefined) throw new Error('there is no payment');
  return { order, burn, id: payment.id };
}

describe('a ready leg', () => {
  it('becomes one payment, however many work at it', async () => {
    for (let count = 0; count < 12; count += 1) await at.burnt();
    const made = await Promise.all(Array.from({ length: 6 }, () => makePaymentsOfLegs(at.ledger, 5)));
    const rest = await makePaymentsOfLegs(at.ledger, 100);
    expect(made.reduce((sum, count) => sum + count, rest)).toBe(12);
    const payments = await at.payments();
    expect(new Set(payments.map(({ leg }) => leg)).size).toBe(12);
    expect(await makePaymentsOfLegs(at.ledger, 100)).toBe(0);
  });

  it('names payee, memo and amount', async () => {
    const { order } = await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([
      {
        kind: 'payout',
        state: 'ready',
        amount: 1250n,
        creditor_name: 'Jane Doe',
        creditor_iban: payeeIban,
        creditor_country: 'DE',
        remittance: 'Rent for May',
        structured_reference: null,
        credit: null,
      },
    ]);
    expect(await at.legs(order)).toBe('redeem done, payout sent');
  });

  it.each([
    [{ companyName: 'Acme GmbH', country: 'DE' }, 'Acme GmbH'],
    [{ name: 'Jane', country: 'DE' }, 'Jane'],
  ])('names a payee given as %j', async (details, name) => {
    await at.burnt({ details });
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([{ creditor_name: name }]);
  });

  it('takes the reference number rather than the memo', async () => {
    await at.burnt({ referenceNumber: 'RF18539007547034' });
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([{ structured_reference: 'RF18539007547034', remittance: null }]);
  });

  it.each([
    ['E2E-7', 'Return of payment E2E-7 of 2026-05-04'],
    [undefined, 'Return of payment of 2026-05-04'],
  ])('that returns a credit pays its payer and says which payment it was (%s)', async (endToEndId, remittance) => {
    const { order, reference } = await at.refusedCredit(endToEndId);
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([
      { kind: 'return', credit: reference, amount: 300n, creditor_name: 'Jón Jónsson', creditor_iban: payerIban, remittance },
    ]);
    expect(await at.legs(order)).toBe('issue refused, return sent');
  });
});

describe('a batch', () => {
  it('holds payments of one currency, each in one batch however many work at it', async () => {
    for (let count = 0; count < 6; count += 1) {
      await at.burnt();
      await at.burnt({ currency: 'gbp' });
    }
    await makePaymentsOfLegs(at.ledger, 100);
    const batches: string[][] = [];
    const work = async () => {
      const options = { limit: 4, collectSeconds: 0 };
      for (;;) {
        const batch = await takeBatch(at.ledger, {
          ...options,
          plan: (payments) => {
            expect(new Set(payments.map(({ currency }) => currency)).size).toBe(1);
            batches.push(payments.map(({ id }) => id));
            return { accepted: [], refused: [], sent: payments.map(({ id }) => id) };
          },
        });
        if (batch === undefined) return;
      }
    };
    await Promise.all([work(), work(), work()]);
    await work();
    expect(batches.flat().sort()).toEqual((await at.payments()).map(({ id }) => id));
    expect(batches.every((ids) => ids.length <= 4)).toBe(true);
    expect((await at.payments()).every(({ state }) => state === 'sent')).toBe(true);
  });

  it('waits for others to join, unless it is full', async () => {
    await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    const take = (limit: number) =>
      takeBatch(at.ledger, {
        limit,
        collectSeconds: hour,
        plan: (payments) => ({ accepted: [], refused: [], sent: payments.map(({ id }) => id) }),
      });
    expect(await take(2)).toBeUndefined();
    expect(await take(1)).toMatchObject({ payments: 1 });
  });

  it('records nothing when the rail fails, or forgets a payment', async () => {
    await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    const options = { limit: 10, collectSeconds: 0 };
    const failing = () => {
      throw new Error('no rail');
    };
    await expect(takeBatch(at.ledger, { ...options, plan: failing })).rejects.toThrow('no rail');
    await expect(takeBatch(at.ledger, { ...options, plan: () => ({ accepted: [], refused: [], sent: [] }) })).rejects.toThrow('0 of 1');
    expect(await at.payments()).toMatchObject([{ state: 'ready', file: null }]);
  });
});

describe('the end of a payout', () => {
  it('that was carried out processes the order, once', async () => {
    const { order, burn, id } = await sentPayout();
    const decided = await Promise.all([decide(id, null), decide(id, null), decide(id, 'too late')]);
    expect(decided.flatMap(({ ids }) => ids)).toEqual([id]);
    const [first] = await at.payments();
    if (first?.state === 'accepted') {
      expect(await at.order(order)).toMatchObject({ state: 'processed', tx_hashes: [burn] });
      expect(await at.legs(order)).toBe('redeem done, payout done');
    } else expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
    const events = await at.ledger
      .selectFrom('events')
      .where('subject', '=', order)
      .where('type', '=', 'order.updated')
      .selectAll()
      .execute();
    expect(events.length).toBe(first?.state === 'accepted' ? 1 : 0);
  });

  it('that was refused gives the tokens back, and then ends rejected with both hashes', async () => {
    const { order, burn, id } = await sentPayout();
    expect(await decide(id, 'AC04 closed account number')).toMatchObject({ ids: [id], orders: [], chains: ['chiado'] });
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
    expect((await at.order(order)).state).toBe('placed');
    expect(await decide(id, 'again')).toEqual({ ids: [], orders: [], chains: [] });
    const mint = randomHash();
    expect(await at.settle(order, 'issue', mint)).toEqual([{ orderId: order, state: 'rejected' }]);
    expect(await at.order(order)).toMatchObject({
      state: 'rejected',
      rejected_reason: 'AC04 closed account number',
      tx_hashes: [burn, mint],
    });
  });

  it('cannot come before it was sent, unless that is allowed', async () => {
    await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    const [payment] = await at.payments();
    expect((await decide(payment?.id ?? '', null)).ids).toEqual([]);
    expect((await decide(payment?.id ?? '', null, ['ready'])).ids).toEqual([payment?.id]);
  });
});

describe('the end of a return', () => {
  async function sentReturn() {
    const credit = await at.refusedCredit();
    await makePaymentsOfLegs(at.ledger, 100);
    await sendAll();
    return { ...credit, id: (await at.payments()).at(-1)?.id ?? '' };
  }

  it('leaves the order rejected as it was', async () => {
    const { order, id } = await sentReturn();
    expect(await decide(id, null)).toEqual({ ids: [id], orders: [], chains: [] });
    expect(await at.legs(order)).toBe('issue refused, return done');
    expect(await at.order(order)).toMatchObject({ state: 'rejected', rejected_reason: 'account is blocked' });
  });

  it('that the bank refused leaves the money to the operator, who may return it again', async () => {
    const { order, id, reference } = await sentReturn();
    await decide(id, 'AC04 closed account number');
    expect(await at.legs(order)).toBe('issue refused, return refused');
    expect(await at.credit(reference)).toMatchObject({
      state: 'unmatched',
      order_id: null,
      reason: 'it could not be returned to its payer: AC04 closed account number',
      facts: { paymentId: id, orderId: order },
    });
    const { payment } = await returnCredit(at.ledger, reference);
    expect(await at.payments()).toMatchObject([{ state: 'refused' }, { id: payment, state: 'ready', credit: reference, leg: null }]);
  });
});

describe('a return that an operator asks for', () => {
  async function unmatched(
    payer: object = { name: 'Jón', iban: payerIban },
    currency = 'eur',
    amount: bigint | null = 300n,
  ): Promise<string> {
    const reference = randomHash();
    await at.ledger
      .insertInto('credits')
      .values({
        reference,
        iban: null,
        currency,
        amount,
        payer: JSON.stringify(payer),
        remittance: null,
        structured_reference: null,
        end_to_end_id: 'E',
        source: 'test',
        state: 'unmatched',
        order_id: null,
        reason: 'because',
        rail_reason: null,
        entry_reference: null,
        returned_at: null,
      })
      .execute();
    return reference;
  }

  it('is one payment, however often it is asked for', async () => {
    const reference = await unmatched();
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => returnCredit(at.ledger, reference)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await at.ledger.transaction().execute((tx) => requestReturn(tx, reference))).toBeUndefined();
    expect(await at.payments()).toMatchObject([
      { kind: 'return', credit: reference, leg: null, amount: 300n, remittance: 'Return of payment E', state: 'ready' },
    ]);
  });

  it.each([
    ['no payer', [{}]],
    ['a currency that is none of ours', [{ iban: payerIban }, 'chf']],
    ['no amount', [{ iban: payerIban }, 'eur', null]],
  ] as const)('is left to the operator with %s', async (_, [payer, currency, amount]) => {
    const reference = await unmatched(payer, currency, amount);
    expect((await returnCredit(at.ledger, reference)).payment).toBeUndefined();
    expect(await at.payments()).toEqual([]);
    expect((await at.credit(reference)).state).toBe('returned');
  });

  it('that the bank refuses makes the credit unmatched again', async () => {
    const reference = await unmatched();
    const { payment } = await returnCredit(at.ledger, reference);
    await sendAll();
    await decide(payment ?? '', 'AC04');
    expect(await at.credit(reference)).toMatchObject({
      state: 'unmatched',
      returned_at: null,
      reason: 'it could not be returned to its payer: AC04',
    });
  });
});

describe('rejecting a payout by hand', () => {
  it.each(['order', 'payment'])('is done by the id of the %s, once', async (by) => {
    const { order, id } = await sentPayout();
    const reject = () => rejectPayout(at.ledger, by === 'order' ? order : id, 'told to');
    const results = await Promise.allSettled([reject(), reject()]);
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(done).toEqual([{ paymentId: id, orderId: order, chains: ['chiado'] }]);
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
    await expect(reject()).rejects.toMatchObject({ code: 'payout_decided' });
  });

  it('is possible before it is sent', async () => {
    const { order } = await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    await rejectPayout(at.ledger, order, 'told to');
    expect(await sendAll()).toBeUndefined();
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
  });

  it('is not possible after it was carried out', async () => {
    const { order, id } = await sentPayout();
    await decide(id, null);
    await expect(rejectPayout(at.ledger, order, 'told to')).rejects.toMatchObject({ code: 'payout_decided' });
    expect((await at.order(order)).state).toBe('processed');
  });

  it.each(['nobody', '00000000-0000-4000-8000-000000000000'])('says that it does not know %s', async (id) => {
    await expect(rejectPayout(at.ledger, id, 'told to')).rejects.toMatchObject({ code: 'unknown_payout' });
  });
});

describe('a booked debit', () => {
  const book = (endToEndId: string, amount = 1250n, currency = 'eur') =>
    at.ledger.transaction().execute((tx) => settleBookedDebits(tx, [{ endToEndId, amount, currency }]));

  it('settles the payout it names, once', async () => {
    const { order, id } = await sentPayout();
    expect(await book(endToEndIdOf(id))).toMatchObject([{ id, outcome: 'settled' }]);
    expect((await at.order(order)).state).toBe('processed');
    expect(await book(endToEndIdOf(id).toUpperCase())).toMatchObject([{ id, outcome: 'known' }]);
  });

  it.each([
    ['amount', 1251n, 'eur'],
    ['currency', 1250n, 'gbp'],
  ])('of another %s settles nothing', async (_, amount, currency) => {
    const { order, id } = await sentPayout();
    expect(await book(endToEndIdOf(id), amount, currency)).toMatchObject([
      { id, outcome: 'conflict', problem: expect.stringContaining('12.50 EUR') },
    ]);
    expect(await at.legs(order)).toBe('redeem done, payout sent');
  });

  it('of a refused payment changes nothing and is told', async () => {
    const { order, id } = await sentPayout();
    await decide(id, 'AC04');
    expect(await book(endToEndIdOf(id))).toMatchObject([{ outcome: 'conflict', problem: expect.stringContaining('WAS REFUSED') }]);
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
  });

  it('of nobody’s payment is no matter of ours', async () => {
    expect(await book('INVOICE 7')).toEqual([]);
    expect(await book('0'.repeat(32))).toEqual([]);
  });
});

it('an end-to-end id is 32 characters, and leads back to the payment', () => {
  const id = '0198c0de-0000-7000-8000-00000000000a';
  expect(endToEndIdOf(id)).toBe('0198c0de00007000800000000000000a');
  expect(idOfEndToEndId(endToEndIdOf(id))).toBe(id);
  expect(idOfEndToEndId('NOTPROVIDED')).toBeUndefined();
  expect(idOfEndToEndId(`${endToEndIdOf(id)}0`)).toBeUndefined();
});
