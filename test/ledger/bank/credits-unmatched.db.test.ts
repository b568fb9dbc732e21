import { describe, expect, it } from 'vitest';
import type { NewCredit } from '../../../src/ledger/bank/match-credits.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { listUnmatchedCredits } from '../../../src/ledger/bank/unmatched/unmatched-credits.ts';
import { matchCredit } from '../../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { idOfCreditOrder } from '../../support/derived-order-ids.ts';
import { takeOrderIds } from '../../support/take-order-id.ts';
import { creditOptions, contents, testRail } from '../../statements/bank-rail.ts';

const rail = testRail();
const options = { ...creditOptions, source: 'statement.xml' };

async function unmatched(more: Partial<NewCredit> = {}): Promise<string> {
  const credit: NewCredit = {
    reference: 'ACC:1',
    bankAccount: 'sandbox',
    iban: 'NL56AGDH9619008421',
    currency: 'eur',
    amount: minorUnits(1050n),
    payer: { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' },
    remittance: 'Rent',
    ...more,
  };
  const [recorded] = await recordCredits(rail.ledger, [credit], options);
  expect(recorded?.state).toBe('unmatched');
  return credit.reference;
}

const assignIban = () => rail.ledger.updateTable('ibans').set({ iban: 'NL56AGDH9619008421' }).execute();
const outcomes = (results: PromiseSettledResult<unknown>[]) => results.map(({ status }) => status).sort();

it('an unmatched credit is listed with its payer and reason until it is dealt with', async () => {
  const reference = await unmatched();
  expect(await listUnmatchedCredits(rail.ledger, 10)).toMatchObject([
    {
      reference,
      iban: 'NL56AGDH9619008421',
      amount: 1050n,
      currency: 'eur',
      payer: { name: 'Jón Jónsson' },
      reason: 'the IBAN is not assigned',
    },
  ]);
  await returnCredit(rail.ledger, reference);
  expect(await listUnmatchedCredits(rail.ledger, 10)).toEqual([]);
});

it('a credit for whose order no id is left waits, and those beside it become orders', async () => {
  const [taken, other] = ['ACC:taken', 'ACC:other'] as const;
  const generations = await Promise.all(Array.from({ length: 101 }, (_, generation) => idOfCreditOrder(rail.ledger, taken, generation)));
  await takeOrderIds(rail.ledger, rail.customer, generations);
  const credit = { bankAccount: 'sandbox', iban: rail.customer.iban, currency: 'eur', amount: minorUnits(1050n), payer: {} };
  const credits = [
    { ...credit, reference: taken },
    { ...credit, reference: other },
  ];
  const recorded = await recordCredits(rail.ledger, credits, options);
  expect(recorded).toMatchObject([
    { state: 'unmatched', orderId: null, reason: 'other orders have all ids that its order could have' },
    { state: 'matched' },
  ]);
});

describe('returning', () => {
  it('tells to whom the money goes back, once, whoever asks at the same time', async () => {
    const reference = await unmatched();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => returnCredit(rail.ledger, reference)));
    expect(outcomes(results)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected']);
    const done = results.find((result) => result.status === 'fulfilled');
    expect(done?.value).toMatchObject({
      amount: 1050n,
      currency: 'eur',
      payer: { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' },
    });
    await expect(returnCredit(rail.ledger, reference)).rejects.toMatchObject({
      code: 'credit_not_unmatched',
      message: expect.stringMatching(/was returned already, at 20/),
    });
  });

  it('of an unknown reference is refused', async () => {
    await expect(returnCredit(rail.ledger, 'nobody')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('nobody'),
    });
  });

  it('of a payment of ours that came back is refused: it would be paid twice', async () => {
    const reference = await unmatched({ railReason: 'payment_returned', unmatched: 'a payment of ours came back: AC04' });
    await expect(returnCredit(rail.ledger, reference)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('is a payment of ours that came back') as string,
    });
    expect(await listUnmatchedCredits(rail.ledger, 10)).toHaveLength(1);
  });
});

describe('matching', () => {
  it('makes an order once the IBAN is assigned, once, whoever asks at the same time', async () => {
    const reference = await unmatched();
    await expect(matchCredit(rail.ledger, reference, options)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('the IBAN is not assigned'),
    });
    await assignIban();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => matchCredit(rail.ledger, reference, options)));
    expect(outcomes(results)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected']);
    const { credits, orders, counts } = await contents(rail.ledger);
    expect(credits).toMatchObject([{ reference, state: 'matched', reason: null }]);
    expect(orders).toMatchObject([{ amount: 1050n, memo: 'Rent', address: rail.customer.address, state: 'placed' }]);
    expect(counts).toEqual([1, 1, 1]);
    await expect(matchCredit(rail.ledger, reference, options)).rejects.toMatchObject({
      code: 'credit_not_unmatched',
      message: expect.stringContaining('became the order'),
    });
  });

  it('makes an order once the profile is approved, to the address that the payer named', async () => {
    await rail.ledger.updateTable('profiles').set({ state: 'pending' }).execute();
    const reference = await unmatched({ iban: rail.customer.iban, remittance: `chiado:${rail.customer.address}` });
    await rail.ledger.updateTable('profiles').set({ state: 'approved' }).execute();
    expect(await matchCredit(rail.ledger, reference, options)).toMatchObject({ reference, chain: 'chiado' });
  });

  it('and returning at the same time do one of the two', async () => {
    const reference = await unmatched();
    await assignIban();
    const results = await Promise.allSettled([matchCredit(rail.ledger, reference, options), returnCredit(rail.ledger, reference)]);
    expect(outcomes(results)).toEqual(['fulfilled', 'rejected']);
    const { credits, counts } = await contents(rail.ledger);
    expect(counts[0]).toBe(credits[0]?.state === 'matched' ? 1 : 0);
  });

  it('is over what the bank has booked, where its report left a doubt', async () => {
    await assignIban();
    const reference = await unmatched({ railReason: 'status_unknown', unmatched: 'whether it is booked is unknown' });
    expect(await matchCredit(rail.ledger, reference, options)).toMatchObject({ reference });
  });

  it('is refused for an account that is none', async () => {
    const reference = await unmatched({ railReason: 'iban_invalid', unmatched: 'the IBAN is not valid' });
    await expect(matchCredit(rail.ledger, reference, options)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('cannot become an order') as string,
    });
  });

  it('overrules a conflict of references, as the operator has asked the bank', async () => {
    await assignIban();
    const reference = await unmatched({ railReason: 'reference_conflict', unmatched: 'the reference was used before' });
    expect(await matchCredit(rail.ledger, reference, options)).toMatchObject({ reference });
  });

  it('of an amount that is not known is refused', async () => {
    await assignIban();
    const credit: NewCredit = {
      reference: 'ACC:2',
      bankAccount: 'sandbox',
      iban: 'NL56AGDH9619008421',
      currency: 'eur',
      payer: {},
      railReason: 'details_differ',
      unmatched: 'contradiction',
    };
    await recordCredits(rail.ledger, [credit], options);
    await expect(matchCredit(rail.ledger, 'ACC:2', options)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('amount is not known'),
    });
  });

  it('of a credit whose issue the token contract refused gives it a new order', async () => {
    const reference = await unmatched();
    await assignIban();
    const { orderId } = await matchCredit(rail.ledger, reference, options);
    await rail.ledger
      .updateTable('credits')
      .set({ state: 'unmatched', orderId: null, reason: 'the token contract refused the issue' })
      .execute();
    expect((await matchCredit(rail.ledger, reference, options)).orderId).not.toBe(orderId);
  });
});
