import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import type { IndexedOutcome } from '../../../src/ledger/lanes/decided-legs.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { redirectIssue } from '../../../src/ledger/orders/lifecycle.ts';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { insertRedemption } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import { readLegWaits } from '../../../src/ledger/orders/leg-waits.ts';
import { applyExactOutcomes } from '../../../src/ledger/recovery/apply-outcomes.ts';
import { setOutcomesAside } from '../../../src/ledger/recovery/decide-outcomes.ts';
import { rebuildRedemptions } from '../../../src/ledger/recovery/rebuild-redemptions.ts';
import { listOpenOutcomes, recordUnrecordedOutcomes, type SignedMessage } from '../../../src/ledger/recovery/unrecorded-outcomes.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { idOfCreditOrder } from '../../support/derived-order-ids.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
let customer: TestCustomer;

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
});

const token = lowerAddress(`0x${'7'.repeat(40)}`);
const hash = () => `0x${randomBytes(32).toString('hex')}` as const;

/** Records what the chain did in a transaction that the ledger does not know: an issue of 3.00 to the customer. */
async function recordOutcome(changes: Partial<IndexedOutcome & SignedMessage>): Promise<void> {
  const issue = { kind: 'issue', account: customer.address, amount: toTokenUnits(minorUnits(300n)).toString(), blockNumber: 9n } as const;
  const rest = { txHash: hash(), token, orderId: randomUUID(), sequence: null, messageHash: null, refused: null };
  await recordUnrecordedOutcomes(ledger, { chain: 'chiado', tokens: { eur: token } }, [{ ...issue, ...rest, ...changes }]);
}

/** The issue leg of a credit over 3.00 that is ready, and claimed by a lane under a number. */
async function claimedLeg(sequence: bigint): Promise<{ id: string; orderId: string }> {
  const [order = ''] = await issueCredits(ledger, [creditTo(customer.iban, 300n)]);
  return ledger
    .updateTable('openLegs')
    .set({ token, sequence, claimedBy: lowerAddress(`0x${'5'.repeat(40)}`) })
    .where('orderId', '=', order)
    .returning(['id', 'orderId'])
    .executeTakeFirstOrThrow();
}

const leg = (id: string) =>
  ledger.selectFrom('legs').where('id', '=', id).select(['state', 'sequence', 'claimedBy', 'token']).executeTakeFirstOrThrow();
const free = { state: 'ready', sequence: null, claimedBy: null, token: null };
const openOutcomes = async () => (await listOpenOutcomes(ledger, 10)).map(({ orderId, amount }) => ({ orderId, amount }));

it('takes the number that the chain used for one leg from another, and that one from its lane', async () => {
  const [carriedOut, other] = [await claimedLeg(7n), await claimedLeg(8n)];
  await recordOutcome({ orderId: carriedOut.orderId, sequence: '8' });
  expect(await applyExactOutcomes(ledger, 'chiado')).toBe(1);
  expect(await leg(carriedOut.id)).toMatchObject({ state: 'done', sequence: 8n });
  expect(await leg(other.id)).toEqual(free);
});

it('an outcome that was set aside before its order waited for an issue is decided again, and holds the order back until then', async () => {
  const { id, orderId } = await claimedLeg(40n);
  await recordOutcome({ orderId, account: token, sequence: '41' });
  const named = async () =>
    (await listOpenOutcomes(ledger, 10)).filter((outcome) => outcome.orderId === orderId).map((outcome) => outcome.id);
  const [outcome = ''] = await named();
  const setAside = () => setOutcomesAside(ledger, [outcome], 'a stolen key', 'otto');
  expect([await setAside(), await named(), await setAside()]).toEqual([1, [], 0]);
  await ledger
    .updateTable('openLegs')
    .set({ createdAt: sql`now()` })
    .where('id', '=', id)
    .execute();
  expect(await named()).toEqual([outcome]);
  expect(await readLegWaits(ledger, orderId)).toMatchObject([{ setAsideBefore: outcome }]);
  expect([await setAside(), await named()]).toEqual([1, []]);
  expect(await readLegWaits(ledger, orderId)).toMatchObject([{ setAsideBefore: null }]);
});

it('an issue that goes elsewhere is taken from its lane', async () => {
  const { id, orderId } = await claimedLeg(20n);
  await inTransaction(ledger, (tx) => redirectIssue(tx, orderId, { account: token, chain: 'chiado', amount: minorUnits(300n) }));
  expect(await leg(id)).toEqual(free);
});

it('an outcome older than the refusal of the leg that gives tokens back stays open, and one after it ends the leg', async () => {
  const orderId = randomUUID();
  const counterpart = { identifier: { standard: 'iban', iban: 'IS140159260076545510730339' }, details: { name: 'Jón' } } as const;
  const draft = {
    profile: customer.profile,
    address: customer.address,
    chain: 'chiado',
    currency: 'eur',
    amount: '300',
    counterpart,
  } as const;
  const signed = { message: 'a message', digest: hash(), signature: '0x', requestHash: '', memo: 'memo' };
  const none = { referenceNumber: null, supportingDocument: null, correlationId: null };
  await inTransaction(ledger, (tx) => insertRedemption(tx, { id: orderId, ...draft, ...signed, ...none }, 'by key'));
  const end = async (kind: 'redeem' | 'payout' | 'issue', refused: string | null) => {
    const { id } = await ledger
      .selectFrom('legs')
      .where('orderId', '=', orderId)
      .where('kind', '=', kind)
      .select('id')
      .executeTakeFirstOrThrow();
    await settleLegs(ledger, [{ legId: id, txHash: hash(), blockNumber: 10n, refused }]);
    return id;
  };
  await end('redeem', null);
  await end('payout', 'AC04 closed account number');
  const id = await end('issue', 'the account is blocked');

  await recordOutcome({ orderId, sequence: '30', blockNumber: 9n });
  expect(await applyExactOutcomes(ledger, 'chiado')).toBe(0);
  expect(await openOutcomes()).toEqual([{ orderId, amount: 300n }]);
  expect(await leg(id)).toMatchObject({ state: 'refused' });
  await recordOutcome({ orderId, sequence: '31', blockNumber: 11n });
  expect(await applyExactOutcomes(ledger, 'chiado')).toBe(1);
  expect(await leg(id)).toMatchObject({ state: 'done', sequence: 31n });
});

it('what a stolen key chose is kept and rebuilds nothing: an amount of 2^64 - 1, and the id of an order that a chain has issued', async () => {
  await ledger.deleteFrom('unrecordedOutcomes').execute();
  const message = `Send EUR 3.00 to ${token} on sepolia at 2026-11-20T16:03:54Z`;
  const redeem = { kind: 'redeem', message, signature: '0x' } as const;
  const largest = 2n ** 64n - 1n;
  const orderId = randomUUID();
  await recordOutcome({ ...redeem, orderId, messageHash: hash(), amount: toTokenUnits(minorUnits(largest)).toString() });
  const derived = await idOfCreditOrder(ledger, 'a lost credit');
  await recordOutcome({ orderId: derived, sequence: '40', amount: toTokenUnits(minorUnits(500n)).toString(), blockNumber: 9n });
  await recordOutcome({ ...redeem, orderId: derived, messageHash: hash(), blockNumber: 10n });
  expect(await openOutcomes()).toEqual([
    { orderId, amount: largest },
    { orderId: derived, amount: 500n },
    { orderId: derived, amount: 300n },
  ]);
  const byHolder = randomUUID();
  await recordOutcome({ ...redeem, orderId: byHolder, messageHash: hash(), blockNumber: 11n });
  expect(await inTransaction(ledger, (tx) => rebuildRedemptions(tx, 'memo'))).toBe(1);
  expect(await ledger.selectFrom('orders').where('id', 'in', [orderId, derived, byHolder]).select('id').execute()).toEqual([
    { id: byHolder },
  ]);
});
