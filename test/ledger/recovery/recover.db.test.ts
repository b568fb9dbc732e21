import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { setStatusesAside } from '../../../src/ledger/bank/payment-statuses.ts';
import { payoutPaymentId, returnPaymentId } from '../../../src/ledger/derived-ids.ts';
import { endToEndIdOf } from '../../../src/ledger/end-to-end-id.ts';
import { openRecovery } from '../../../src/ledger/recoveries.ts';
import { recover } from '../../../src/ledger/recovery/recover.ts';
import { compareBookWithBank } from '../../../src/reconciliation/book-and-bank.ts';
import { importBankFile } from '../../../src/statements/import-file.ts';
import { stream } from '../../bank/iso20022/camt/reading.ts';
import { statementXml } from '../../bank/iso20022/camt/statement-xml.ts';
import { statusXml } from '../../bank/iso20022/pain/status-xml.ts';
import { creditOptions } from '../../statements/bank-rail.ts';
import { payerIban, randomHash, testPayments } from '../bank/payments-ledger.ts';

const at = testPayments();

const apply = () => recover(at.ledger, { apply: true, operator: 'jane', chains: [], defaultMemo: 'memo' });
const states = async () => Object.fromEntries((await at.payments()).map(({ id, state }) => [id, state]));

/** The bank books a payment of this ledger before it was restored. */
const book = (payment: string, amount = '3.00') => {
  const refs = { EndToEndId: endToEndIdOf(payment) };
  const entries = [{ amount, direction: 'DBIT' as const, reference: 'D1', transactions: [{ amount, refs, creditorIban: payerIban }] }];
  return importBankFile(at.ledger, {
    name: 'statement.xml',
    chunks: stream([statementXml({ id: 'S1', entries })]),
    options: creditOptions,
  });
};
const reject = (payment: string) =>
  importBankFile(at.ledger, {
    name: 'status.xml',
    options: creditOptions,
    chunks: stream([statusXml({ payments: [{ endToEndId: endToEndIdOf(payment), status: 'RJCT', reason: 'AC04' }] })]),
  });

describe('a return that the bank refused once and then carried out', () => {
  it('is the one that the bank has booked, although the refusal is lost', async () => {
    const { reference } = await at.refusedCredit();
    await book(returnPaymentId(reference, 1));
    expect(await apply()).toMatchObject({ booked: 1, lost: { debits: [], statuses: [] }, isEnded: true });
    expect(await states()).toEqual({ [returnPaymentId(reference, 0)]: 'refused', [returnPaymentId(reference, 1)]: 'accepted' });
    // The debit and what explains it are in the same statement.
    const texts = (await compareBookWithBank(at.ledger)).flatMap(({ items }) => items.map(({ text }) => text));
    expect(texts).toEqual([]);
  });

  it('takes the refusal that was imported before it was made again, and holds payments until its debit is explained', async () => {
    const { reference } = await at.refusedCredit();
    const [first, second] = [returnPaymentId(reference, 0), returnPaymentId(reference, 1)];
    expect(await reject(first)).toMatchObject({ counts: { alerts: 1 } });
    expect(await openRecovery(at.ledger)).toMatchObject({ beganBy: 'the bank' });
    await book(second);
    expect(await apply()).toMatchObject({
      booked: 0,
      lost: { debits: [{ endToEndId: endToEndIdOf(second) }], statuses: [] },
      isEnded: false,
    });
    expect(await states()).toEqual({ [first]: 'refused' });
    await at.sendAll();
    await returnCredit(at.ledger, reference);
    const planned = await recover(at.ledger, { apply: false, operator: 'jane', chains: [], defaultMemo: 'memo' });
    expect(planned).toMatchObject({ booked: 1, isExplained: true, isEnded: false });
    expect(await apply()).toMatchObject({ booked: 1, isExplained: true, isEnded: true });
    expect(await states()).toEqual({ [first]: 'refused', [second]: 'accepted' });
  });
});

it('a status of a lost payment holds payments until an operator has set it aside', async () => {
  const payment = payoutPaymentId({ chain: 'chiado', address: at.customer.address, digest: randomHash() });
  await reject(payment);
  expect(await apply()).toMatchObject({ lost: { statuses: [{ payment, verdict: 'refused' }] }, isEnded: false });
  expect(await setStatusesAside(at.ledger, [payment], 'of another ledger', 'jane')).toBe(1);
  expect(await apply()).toMatchObject({ lost: { statuses: [] }, isEnded: true });
});

it('a file with more statuses of lost payments than are kept is refused with a remedy, until they are set aside', async () => {
  await sql`
    insert into unknown_payment_statuses (payment, verdict, code, reason) select gen_random_uuid(), 'open', 'ACSP', '' from generate_series(1, 100000)
  `.execute(at.ledger);
  const lost = () => reject(payoutPaymentId({ chain: 'chiado', address: at.customer.address, digest: randomHash() }));
  await expect(lost()).rejects.toMatchObject({
    code: 'not_possible',
    message: expect.stringContaining('payments that this ledger does not have') as string,
  });
  const { rows } = await sql<{ payment: string }>`select payment from unknown_payment_statuses limit 1`.execute(at.ledger);
  await setStatusesAside(at.ledger, [rows[0]?.payment ?? ''], 'of another ledger', 'jane');
  await lost();
});

it('a payout that is with the bank is not refused because its tokens were given back', async () => {
  const { order, id } = await at.sentPayout();
  await at.ledger
    .insertInto('unrecordedOutcomes')
    .values({
      chain: 'chiado',
      kind: 'issue',
      token: randomHash(),
      currency: 'eur',
      orderId: order,
      account: at.customer.address,
      amount: '1250',
      sequence: '7',
      txHash: randomHash(),
      blockNumber: 9n,
    } as never)
    .execute();
  expect(await apply()).toMatchObject({ givenBack: 0, openCount: 1, open: [{ sentPayout: id }], isEnded: false });
  expect(await states()).toEqual({ [id]: 'sent' });
});
