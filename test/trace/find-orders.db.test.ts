import { beforeAll, describe, expect, it } from 'vitest';
import { searchOrders } from '../../src/trace/order-search.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { findMeanings, findOrders } from '../../src/trace/find-orders.ts';
import { readAmount } from '../../src/trace/read-text.ts';
import { payeeIban, payerIban, testPayments } from '../ledger/bank/payments-ledger.ts';

const payments = testPayments({ isShared: true });
let payout: string;
let credit: { order: string; reference: string };
beforeAll(async () => {
  payout = (await payments.burnt({ amount: 123_450n, memo: 'Rent for May' })).order;
  credit = await payments.credited('Invoice-77');
});

/** What a text means, and its orders. */
async function read(text: string) {
  const meanings = await findMeanings(payments.ledger, text);
  return { meanings: meanings.map(({ meaning }) => meaning), ...(await findOrders(payments.ledger, text)) };
}

describe('a text means', () => {
  it('an IBAN of a payee or a payer, in any spelling', async () => {
    expect(await read('de89 3704 0044 0532 0130 00')).toEqual({ meanings: ['iban'], orders: [payout], isCut: false });
    expect(await read(payerIban)).toMatchObject({ meanings: ['iban'], orders: [credit.order] });
  });

  it("a customer's own IBAN, address, profile or name, and with it all of the customer's orders", async () => {
    const { iban, address, profile } = payments.customer;
    const { name } = await payments.ledger.selectFrom('profiles').where('id', '=', profile).select('name').executeTakeFirstOrThrow();
    const all = [credit.order, payout];
    expect(await read(iban)).toMatchObject({ meanings: ['iban'], orders: all });
    expect(await read(address.toUpperCase().replace('0X', '0x'))).toMatchObject({ meanings: ['address'], orders: all });
    expect(await read(profile)).toMatchObject({ meanings: ['profile'], orders: all });
    expect(await read(name.slice(0, 3).toUpperCase())).toMatchObject({ meanings: ['name'], orders: all });
  });

  it('an amount, with or without its currency', async () => {
    for (const text of ['1234.50', 'EUR 1,234.50', '1 234,50 €', '1.234,5 eur'])
      expect(await read(text), text).toEqual({ meanings: ['amount'], orders: [payout], isCut: false });
    expect(await read('1234.50 GBP')).toMatchObject({ orders: [] });
  });

  it('a whole memo, in any case', async () => {
    expect(await read('rent for MAY')).toMatchObject({ meanings: ['memo'], orders: [payout] });
    expect(await read('rent for')).toMatchObject({ orders: [] });
  });

  it("the bank's reference of a credit, or the EndToEndId that its payer gave", async () => {
    expect(await read(credit.reference)).toMatchObject({ meanings: ['bank reference'], orders: [credit.order] });
    expect(await read('Invoice-77')).toMatchObject({ meanings: ['EndToEndId'], orders: [credit.order] });
  });

  it.each(['', '\0', "'", `' & !:* | <->`, '((((', '0x', 'x'.repeat(2_000), '99999999999999999999', '😀'])('nothing: %j', async (text) => {
    expect(await read(text)).toEqual({ meanings: [], orders: [], isCut: false });
  });
});

it('a search goes on behind the last order, and says where it ended', async () => {
  const first = await searchOrders(payments.ledger, {}, { limit: 1 });
  expect(first).toMatchObject({
    orders: [{ id: credit.order, counterpartName: 'Jón Jónsson', counterpartIban: payerIban }],
    next: credit.order,
  });
  const second = await searchOrders(payments.ledger, {}, { limit: 1, after: first.next });
  expect(second).toMatchObject({ orders: [{ id: payout, counterpartName: 'Jane Doe', counterpartIban: payeeIban }], next: undefined });
});

it('what narrows a search leaves out the other orders', async () => {
  const { ledger, customer } = payments;
  const ids = async (search: Parameters<typeof searchOrders>[1]) =>
    (await searchOrders(ledger, search, { limit: 10 })).orders.map(({ id }) => id);
  expect(await ids({ kind: 'redeem' })).toEqual([payout]);
  expect(await ids({ states: ['placed', 'pending'] })).toHaveLength(2);
  expect(await ids({ states: ['processed', 'rejected'] })).toEqual([]);
  expect(await ids({ chain: 'gnosis' })).toEqual([]);
  expect(await ids({ currency: 'gbp' })).toEqual([]);
  expect(await ids({ key: { by: 'amount', amount: minorUnits(300n), currency: 'eur' }, profile: customer.profile })).toEqual([
    credit.order,
  ]);
  expect(await ids({ from: new Date(Date.now() + 60_000) })).toEqual([]);
  expect(await ids({ until: new Date(Date.now() + 60_000) })).toHaveLength(2);
});

it.each(['1.2.3', '1,2,3', '-5', '0', '12.345', 'EUR', '5 EUR USD', 'EUR 5 EUR', '5 dollars', '1e3'])('%s is no amount', (text) => {
  expect(readAmount(text)).toBeUndefined();
});
