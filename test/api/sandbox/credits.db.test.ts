import { describe, expect, it } from 'vitest';
import { assignIbans } from '../../support/assign-ibans.ts';
import { findEntriesOf } from '../../../src/ledger/book/journal.ts';
import { createLog } from '../../../src/platform/log.ts';
import { findOrders } from '../../../src/trace/find-orders.ts';
import { createTestApi } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

/** The lines of requests. */
const logged: object[] = [];
const log = Object.assign(createLog('info'), { info: (fields: object) => void logged.push(fields) });
const api = forWholeFile(() => createTestApi({ log }));

const payer = { name: 'Max Mustermann', iban: 'DE89 3704 0044 0532 0130 00' };

async function partnerWithIban() {
  const caller = await api.partner();
  const wallet = await caller.link();
  await caller.post('/ibans', { address: wallet.address, chain: 'chiado' });
  await assignIbans(api.ledger);
  const { iban } = (await caller.get('/ibans')).json.ibans[0] as { iban: string };
  return { caller, wallet, iban };
}

describe('POST /sandbox/credits', () => {
  it("places an issue order for the IBAN's address and wakes its chain", async () => {
    const { caller, wallet, iban } = await partnerWithIban();
    api.woken.length = 0;
    logged.length = 0;
    const { status, json } = await caller.post('/sandbox/credits', {
      iban,
      amount: '12.5',
      currency: 'eur',
      payer,
      remittance: 'Rent May',
    });
    expect(status).toBe(201);
    const { reference, ledgerReference } = json.credit;
    expect(json.credit).toEqual({ reference, ledgerReference, state: 'matched', reason: null, created: true });
    expect(await findOrders(api.ledger, ledgerReference)).toEqual({ orders: [json.order.id], isCut: false });
    expect(await findEntriesOf(api.ledger, [ledgerReference])).toMatchObject([{ kind: 'credit' }]);
    expect(json.order.chain).toBe('chiado');
    expect(api.woken).toEqual(['lane-chiado']);
    expect(logged).toMatchObject([{ path: '/sandbox/credits', orderId: json.order.id }]);
    expect((await caller.get(`/orders/${json.order.id}`)).json).toMatchObject({
      kind: 'issue',
      address: wallet.address,
      amount: '12.50',
      memo: 'Rent May',
      counterpart: { identifier: { standard: 'iban', iban: 'DE89370400440532013000' }, details: { name: 'Max Mustermann' } },
      state: 'placed',
    });
  });

  it.each([
    [
      { name: 'Ada', accountNumber: '4711' },
      { standard: 'account', accountNumber: '4711' },
    ],
    [{ name: 'Ada' }, { standard: 'account' }],
    [
      { name: 'Ada', iban: payer.iban, accountNumber: '4711' },
      { standard: 'iban', iban: 'DE89370400440532013000' },
    ],
  ])('makes an order of a credit of %j', async (party, identifier) => {
    const { caller, iban } = await partnerWithIban();
    const { json } = await caller.post('/sandbox/credits', { iban, amount: '1', currency: 'eur', payer: party });
    const { counterpart } = (await caller.get(`/orders/${json.order.id}`)).json;
    expect(counterpart).toEqual({ identifier, details: { name: 'Ada' } });
  });

  it('answers the first order when a reference comes again', async () => {
    const { caller, iban } = await partnerWithIban();
    const body = { iban, amount: '1', currency: 'eur', payer, reference: `twice-${iban}` };
    const answers = await Promise.all([1, 2, 3].map(() => caller.post('/sandbox/credits', body)));
    expect(new Set(answers.map(({ json }) => json.order?.id)).size).toBe(1);
    expect(answers.filter(({ json }) => json.credit.created)).toHaveLength(1);
    expect((await caller.get('/orders')).json.total).toBe(1);
  });

  it('has references of its own for each caller', async () => {
    const [mine, theirs] = [await partnerWithIban(), await partnerWithIban()];
    for (const { caller, iban } of [mine, theirs]) {
      const { json } = await caller.post('/sandbox/credits', { iban, amount: '1', currency: 'eur', payer, reference: 'invoice-1' });
      expect(json.credit).toMatchObject({ reference: 'invoice-1', state: 'matched', reason: null, created: true });
      expect((await caller.get(`/orders/${json.order.id}`)).status).toBe(200);
    }
  });

  it('keeps money for an unknown IBAN as an unmatched credit', async () => {
    const caller = await api.partner();
    const { status, json } = await caller.post('/sandbox/credits', { iban: 'DE89370400440532013000', amount: '1', currency: 'eur', payer });
    expect(status).toBe(201);
    expect(json).toMatchObject({ credit: { state: 'unmatched', reason: 'the IBAN is not assigned' }, order: null });
  });

  it('names every wrong field, and refuses a zero amount', async () => {
    const { caller, iban } = await partnerWithIban();
    const { json } = await caller.post('/sandbox/credits', { iban, amount: '0.00', currency: 'eur', payer });
    expect(json.errors).toEqual({ amount: 'must be greater than zero' });
    const body = {
      iban: 'IS1',
      amount: '1.999',
      currency: 'chf',
      payer: { name: '', iban: 'nope' },
      remittance: 'x'.repeat(141),
      reference: '\0',
    };
    expect((await caller.post('/sandbox/credits', body)).json.errors).toEqual({
      iban: 'is not a valid IBAN',
      amount: 'must be digits with at most two decimals, such as 10.50',
      currency: 'must be one of eur, usd, gbp, isk',
      'payer.name': 'must not be empty',
      'payer.iban': 'is not a valid IBAN',
      remittance: 'must be at most 140 characters long',
      reference: 'must be well-formed Unicode without NUL characters',
    });
  });
});
