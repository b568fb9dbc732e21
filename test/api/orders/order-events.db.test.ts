import { beforeAll, describe, expect, it } from 'vitest';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { applyStatuses, type PaymentStatus } from '../../../src/ledger/bank/payment-statuses.ts';
import { retryGiveBack } from '../../../src/ledger/orders/stuck-orders.ts';
import { decideSignature } from '../../../src/ledger/orders/signature-requests.ts';
import { markFailed, markMined, recordReplacement } from '../../../src/ledger/lanes/transactions.ts';
import type { Chain } from '../../../src/platform/chains.ts';
import { randomHash } from '../../ledger/bank/payments-ledger.ts';
import { createTestApi, eurToken } from '../support/test-api.ts';
import { bankOrder, chainOrder, contractRedeemer, type Redeemer, redeemer } from './redeeming.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { sendReady } from '../../support/claim-ready.ts';

const api = forWholeFile(createTestApi);
let caller: Redeemer;

beforeAll(async () => void (caller = await redeemer(api)));

const lane = { chain: 'chiado' as const, signer: lowerAddress('0xsigner') };
let nonce = 0n;

const attempt = (maxFeePerGas = 1n) => ({ hash: randomHash(), raw: '0x', maxFeePerGas, maxPriorityFeePerGas: 1n });

/** Puts the next leg of a chain into a transaction, as its lane does. */
const send = (chain: Chain = 'chiado') =>
  sendReady(api.ledger, { ...lane, chain, limit: 1, tokens: { eur: eurToken }, nonce: (nonce += 1n) });

async function confirm(legId: string, txHash: string, refused: string | null = null, blockNumber = 7n) {
  await settleLegs(api.ledger, [{ legId, txHash, blockNumber, refused }]);
}

const plan = (payments: readonly { id: string }[]) => ({ accepted: [], refused: [], sent: payments.map(({ id }) => id) });

async function toBank(): Promise<string> {
  await makePaymentsOfLegs(api.ledger, 100);
  await takePaymentBatch(api.ledger, { limit: 100, collectSeconds: 0, plan });
  const { id } = await api.ledger.selectFrom('payments').orderBy('leg', 'desc').limit(1).select('id').executeTakeFirstOrThrow();
  return id.replaceAll('-', '');
}

async function bankSays(status: Partial<PaymentStatus>) {
  const given = { endToEndId: undefined, verdict: 'open' as const, code: 'ACSP', reason: 'AC04 closed account', ...status };
  await inTransaction(api.ledger, (tx) => applyStatuses(tx, [given]));
}

async function place(body: unknown): Promise<string> {
  return (await caller.post('/orders', body)).json.id;
}

async function storyOf(order: string): Promise<Record<string, unknown>[]> {
  const { json } = await caller.get(`/orders/${order}/events`);
  expect(json.total).toBe(json.events.length);
  const times = json.events.map(({ at }: { at: string }) => at);
  expect(times).toEqual(times.toSorted());
  return json.events.map(({ at: _at, ...rest }: { at: string }) => rest);
}

const words = (story: Record<string, unknown>[]) => story.map(({ type, leg }) => [type, leg].filter(Boolean).join(' '));

describe('GET /orders/{orderId}/events', () => {
  it('tells a payout from its signature to the word of the bank', async () => {
    const order = await place(await bankOrder(caller.wallet));
    const { id, legId, hash } = await send();
    const replacement = attempt(2n);
    await recordReplacement(api.ledger, id, replacement, 2n);
    await markMined(api.ledger, id, { hash: replacement.hash, blockNumber: 7n, blockHash: '0x7', gasUsed: 1n });
    await confirm(legId, replacement.hash);
    const endToEndId = await toBank();
    await bankSays({ endToEndId });
    await bankSays({ endToEndId, verdict: 'executed' });
    const burn = { leg: 'redeem', chain: 'chiado' };
    const payout = { leg: 'payout', endToEndId };
    expect(await storyOf(order)).toEqual([
      { type: 'order.placed' },
      { type: 'signature.verified', chain: 'chiado' },
      { type: 'transaction.sent', ...burn, txHash: hash },
      { type: 'transaction.replaced', ...burn, txHash: replacement.hash, replaces: hash },
      { type: 'transaction.mined', ...burn, txHash: replacement.hash, block: 7 },
      { type: 'leg.confirmed', ...burn, txHash: replacement.hash, block: 7 },
      { type: 'payment.sent', ...payout },
      { type: 'payment.status', ...payout, bankStatus: 'ACSP' },
      { type: 'payment.accepted', ...payout },
      { type: 'order.processed' },
    ]);
  });

  it('tells a transaction that was lost, and the one that took its place', async () => {
    const order = await place(await bankOrder(caller.wallet));
    const lost = await send();
    await markFailed(api.ledger, lost.id, { state: 'lost' });
    const second = await send();
    expect((await storyOf(order)).slice(2)).toEqual([
      { type: 'transaction.sent', leg: 'redeem', chain: 'chiado', txHash: lost.hash },
      { type: 'transaction.failed', leg: 'redeem', chain: 'chiado', reason: expect.stringContaining('the nonce was used') as string },
      { type: 'transaction.sent', leg: 'redeem', chain: 'chiado', txHash: second.hash },
    ]);
    await confirm(second.legId, second.hash);
  });

  it('tells a payout that the bank refused, and each try to give the tokens back', async () => {
    const order = await place(await bankOrder(caller.wallet));
    await confirm((await send()).legId, randomHash());
    await bankSays({ endToEndId: await toBank(), verdict: 'refused' });
    const blocked = randomHash();
    await confirm((await send()).legId, blocked, 'account is blocked');
    await retryGiveBack(api.ledger, order);
    await confirm((await send()).legId, randomHash(), null, 8n);
    const story = await storyOf(order);
    expect(words(story).slice(4)).toEqual([
      'payment.sent payout',
      'payment.refused payout',
      'transaction.sent giveBack',
      'leg.refused giveBack',
      'transaction.sent giveBack',
      'leg.confirmed giveBack',
      'order.rejected',
    ]);
    expect(story[7]).toMatchObject({ txHash: blocked, reason: 'account is blocked', block: 7 });
    expect(story.at(-1)).toEqual({ type: 'order.rejected', reason: 'AC04 closed account' });
  });

  it('tells the mint on the other chain as the payout of a redemption to there', async () => {
    const order = await place(await chainOrder(caller.wallet, caller.wallet.address));
    await confirm((await send()).legId, randomHash());
    const mint = await send('basesepolia');
    await confirm(mint.legId, mint.hash);
    const paid = { leg: 'payout', chain: 'basesepolia', txHash: mint.hash };
    expect((await storyOf(order)).slice(4)).toEqual([
      { type: 'transaction.sent', ...paid },
      { type: 'leg.confirmed', ...paid, block: 7 },
      { type: 'order.processed' },
    ]);
    const { id } = await api.ledger.selectFrom('orders').where('sourceOrder', '=', order).select('id').executeTakeFirstOrThrow();
    expect(words(await storyOf(id))).toEqual(['order.placed', 'transaction.sent issue', 'leg.confirmed issue', 'order.processed']);
  });

  it('tells that a signature is awaited, and that it was refused', async () => {
    const contract = await contractRedeemer(api);
    contract.account.says = () => 'unavailable';
    await contract.post('/orders', contract.order({ signature: '0x' }));
    const { id } = (await contract.get('/orders')).json.orders[0];
    const story = async () => words((await contract.get(`/orders/${id}/events`)).json.events);
    expect(await story()).toEqual(['order.placed', 'signature.awaited']);
    const request = await api.ledger.selectFrom('signatureRequests').where('orderId', '=', id).select('id').executeTakeFirstOrThrow();
    await decideSignature(api.ledger, request.id, { state: 'expired', reason: 'it was not signed in time' });
    expect(await story()).toEqual(['order.placed', 'signature.awaited', 'signature.refused', 'order.rejected']);
  });
});
