import { describe, expect, it } from 'vitest';
import { endToEndIdOf, idOfEndToEndId } from '../../../src/ledger/end-to-end-id.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { payeeIban, payerIban, testPayments } from './payments-ledger.ts';

const at = testPayments();

const hour = 3_600;
const noRail = () => {
  throw new Error('no rail');
};

describe('a ready leg', () => {
  it('becomes one payment, however many work at it', async () => {
    for (let count = 0; count < 12; count += 1) await at.burnt();
    const made = await Promise.all(Array.from({ length: 6 }, () => makePaymentsOfLegs(at.ledger, 5)));
    const rest = await makePaymentsOfLegs(at.ledger, 100);
    expect(made.reduce((sum, duties) => sum + duties.made, rest.made)).toBe(12);
    const payments = await at.payments();
    expect(new Set(payments.map(({ leg }) => leg)).size).toBe(12);
    expect(await makePaymentsOfLegs(at.ledger, 100)).toEqual({ made: 0, payments: true, files: false });
  });

  it('names payee, memo and amount', async () => {
    const { order } = await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([
      {
        kind: 'payout',
        state: 'ready',
        amount: 1250n,
        creditorName: 'Jane Doe',
        creditorIban: payeeIban,
        creditorCountry: 'DE',
        remittance: 'Rent for May',
        structuredReference: null,
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
    expect(await at.payments()).toMatchObject([{ creditorName: name }]);
  });

  it('names where the payee lives', async () => {
    const address = { city: 'Boston', country: 'US' };
    await at.burnt({ details: { name: 'Jane', country: 'DE', address } });
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([{ creditorCountry: 'DE', creditorAddress: address }]);
  });

  it('takes the reference number rather than the memo', async () => {
    await at.burnt({ referenceNumber: 'RF18539007547034' });
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([{ structuredReference: 'RF18539007547034', remittance: null }]);
  });

  it.each([
    ['E2E-7', 'Return of payment E2E-7 of 2026-05-04'],
    [undefined, 'Return of payment of 2026-05-04'],
  ])('that returns a credit pays its payer and says which payment it was (%s)', async (endToEndId, remittance) => {
    const { order, reference } = await at.refusedCredit(endToEndId);
    const postalAddress = { city: 'Reykjavík', country: 'IS' };
    const payer = JSON.stringify({ name: 'Jón Jónsson', iban: payerIban, postalAddress });
    await at.ledger.updateTable('credits').set({ payer }).where('reference', '=', reference).execute();
    await makePaymentsOfLegs(at.ledger, 100);
    expect(await at.payments()).toMatchObject([
      {
        kind: 'return',
        credit: reference,
        amount: 300n,
        creditorName: 'Jón Jónsson',
        creditorIban: payerIban,
        creditorAddress: postalAddress,
        remittance,
      },
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
        const batch = await takePaymentBatch(at.ledger, {
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
    expect(batches.flat().sort()).toEqual((await at.payments()).map(({ id }) => id).sort());
    expect(batches.every((ids) => ids.length <= 4)).toBe(true);
    expect((await at.payments()).every(({ state }) => state === 'sent')).toBe(true);
  });

  it('waits for others to join, unless it is full', async () => {
    await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    const take = (limit: number) =>
      takePaymentBatch(at.ledger, {
        limit,
        collectSeconds: hour,
        plan: (payments) => ({ accepted: [], refused: [], sent: payments.map(({ id }) => id) }),
      });
    expect(await take(2)).toBeUndefined();
    expect((await take(1))?.payments).toHaveLength(1);
  });

  it('records nothing when the rail fails, or forgets a payment', async () => {
    await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    const options = { limit: 10, collectSeconds: 0 };
    await expect(takePaymentBatch(at.ledger, { ...options, plan: noRail })).rejects.toThrow('no rail');
    await expect(takePaymentBatch(at.ledger, { ...options, plan: () => ({ accepted: [], refused: [], sent: [] }) })).rejects.toThrow(
      '0 of 1',
    );
    expect(await at.payments()).toMatchObject([{ state: 'ready', file: null }]);
  });
});

it('an end-to-end id is 32 characters, and leads back to the payment', () => {
  const id = '0198c0de-0000-7000-8000-00000000000a';
  expect(endToEndIdOf(id)).toBe('0198c0de00007000800000000000000a');
  expect(idOfEndToEndId(endToEndIdOf(id))).toBe(id);
  expect(idOfEndToEndId('NOTPROVIDED')).toBeUndefined();
  expect(idOfEndToEndId(`${endToEndIdOf(id)}0`)).toBeUndefined();
});
