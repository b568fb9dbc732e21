import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { groupName, type LegGroup, listReadyGroups, nextContractAccounts } from '../../../src/ledger/lanes/leg-groups.ts';
import { claimLegs, type ClaimOptions, releaseClaims } from '../../../src/ledger/lanes/legs.ts';
import { recordTransaction } from '../../../src/ledger/lanes/transactions.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { beginBackoffs, limitBackoffs, recordLoneRevert } from '../../../src/ledger/orders/account-backoffs.ts';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { type LowerAddress, lowerAddress } from '../../../src/platform/addresses.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { createCustomer } from '../../support/customer.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { placeTestRedemption } from '../../support/redemptions.ts';

const signer = lowerAddress(`0x${'a'.repeat(40)}`);
const tokens = { eur: `0x${'e'.repeat(40)}` };
const contracts: LegGroup = { kind: 'redeem', currency: 'eur', signedBy: 'contract', isRetry: false };

const { ledger, pool } = testLedger();
let profile: string;
let iban: string;

beforeAll(async () => {
  ({ profile, iban } = await createCustomer(ledger, 'chiado'));
});

beforeEach(async () => {
  await pool.query(`delete from open_legs where state = 'ready'; delete from account_backoffs`);
});

const newAccount = () => lowerAddress(`0x${randomBytes(20).toString('hex')}`);

async function redemptions(account: LowerAddress, count: number, signature: 'by key' | 'by contract' = 'by contract'): Promise<string[]> {
  const redeemer = { address: account, profile, sign: async () => `0x${randomBytes(65).toString('hex')}` as const, signature };
  const ids: string[] = [];
  for (let placed = 0; placed < count; placed += 1) ids.push(await placeTestRedemption(ledger, 'chiado', redeemer));
  return ids;
}

const accountsFrom = (after = '', block = 0n, limit = 10) =>
  nextContractAccounts(ledger, { chain: 'chiado', currency: 'eur', after, block, limit });
const claim = (group: LegGroup, options: Partial<ClaimOptions> = {}) =>
  claimLegs(ledger, { chain: 'chiado', signer, group, limit: 10, tokens, block: 0n, ...options });
const groups = async () => (await listReadyGroups(ledger, 'chiado', ['eur'])).map(groupName).toSorted();
const setBatchLimit = (orders: string[], limit: number) =>
  pool.query(`update open_legs set batch_limit = $2 where order_id = any($1) and kind = 'redeem'`, [orders, limit]);
const legOf = async (order: string | undefined) =>
  (
    await ledger
      .selectFrom('legs')
      .where('orderId', '=', order as string)
      .where('kind', '=', 'redeem')
      .select('id')
      .executeTakeFirstOrThrow()
  ).id;

const settle = async (order: string | undefined, refused: string | null) =>
  settleLegs(ledger, [{ legId: await legOf(order), txHash: `0x${'1'.repeat(64)}`, blockNumber: 5n, refused }]);
const failures = async () => (await ledger.selectFrom('accountBackoffs').select('failures').execute()).map((row) => row.failures);

/** A contract account with a redemption that has been carried out. */
async function provenAccount(): Promise<LowerAddress> {
  const account = newAccount();
  await settle((await redemptions(account, 1))[0], null);
  return account;
}

const ofAccount = (account: LowerAddress) => claim(contracts, { accounts: [account] });

async function send(legs: { id: string }[], nonce = 1n, by = ledger) {
  const attempt = { hash: `0x${randomBytes(32).toString('hex')}`, raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const transaction = {
    chain: 'chiado',
    signer,
    nonce,
    kind: 'redeem',
    currency: 'eur',
    gasLimit: 1n,
    sentAtBlock: 1n,
    attempt,
  } as const;
  await recordTransaction(by, { ...transaction, legs: legs.map(({ id }) => id) });
}

describe('the groups of ready legs', () => {
  it('keep apart what keys signed, what contracts signed, and what has reverted', async () => {
    await redemptions(newAccount(), 1, 'by key');
    await redemptions(newAccount(), 1);
    await setBatchLimit(await redemptions(newAccount(), 1), 1);
    expect(await groups()).toEqual(['redeem eur contract', 'redeem eur contract retry', 'redeem eur key']);
    const claimed = await claim({ ...contracts, signedBy: 'key' });
    expect(claimed.map(({ signedBy }) => signedBy)).toEqual(['key']);
    expect(await groups()).toEqual(['redeem eur contract', 'redeem eur contract retry']);
  });

  it('give retries in batches of the largest size that they may still have', async () => {
    const [two, one] = [await redemptions(await provenAccount(), 3), await redemptions(newAccount(), 2)];
    await setBatchLimit(two, 2);
    await setBatchLimit(one, 1);
    const retries = { ...contracts, isRetry: true };
    expect((await claim(retries)).map(({ orderId }) => orderId)).toEqual(two.slice(0, 2));
    expect((await claim(retries)).map(({ orderId }) => orderId)).toEqual(two.slice(2));
    expect((await claim(retries)).map(({ orderId }) => orderId)).toEqual(one.slice(0, 1));
  });
});

describe('contract accounts', () => {
  it('have one order each in a batch before any has two', async () => {
    const [busy, quiet] = [await provenAccount(), newAccount()];
    await redemptions(busy, 30);
    const [order] = await redemptions(quiet, 1);
    const { accounts } = await accountsFrom();
    expect(accounts.toSorted()).toEqual([busy, quiet].toSorted());
    const claimed = await claim(contracts, { accounts, limit: 5 });
    expect(claimed.slice(0, 2).map(({ orderId }) => orderId)).toContain(order);
    expect(claimed.filter(({ account }) => account === busy)).toHaveLength(4);
  });

  it('take turns in the order of their addresses', async () => {
    const accounts = [newAccount(), newAccount(), newAccount()].toSorted();
    for (const account of accounts) await redemptions(account, 2);
    const first = await accountsFrom('', 0n, 2);
    expect(first).toEqual({ accounts: accounts.slice(0, 2), last: accounts[1] });
    expect(await accountsFrom(first.last ?? '', 0n, 2)).toEqual({ accounts: accounts.slice(2), last: null });
  });

  it('wait after a failure, from the block in which it is known, twice as long after each, and no longer than a day', async () => {
    const account = newAccount();
    const orders = await redemptions(account, 1);
    const leg = await legOf(orders[0]);
    const waited: bigint[] = [];
    for (let failure = 1; failure <= 13; failure += 1) {
      await inTransaction(ledger, (tx) => recordLoneRevert(tx, leg));
      expect((await accountsFrom('', 10n ** 9n)).accounts).toEqual([]);
      await beginBackoffs(ledger, 'chiado', 1_000n);
      const { untilBlock } = await ledger.selectFrom('accountBackoffs').select('untilBlock').executeTakeFirstOrThrow();
      waited.push((untilBlock ?? 0n) - 1_000n);
    }
    // A block of Chiado takes 5 seconds.
    expect(waited).toEqual([12n, 24n, 48n, 96n, 192n, 384n, 768n, 1_536n, 3_072n, 6_144n, 12_288n, 12_288n, 12_288n]);
    expect((await accountsFrom('', 13_287n)).accounts).toEqual([]);
    expect((await accountsFrom('', 13_288n)).accounts).toEqual([account]);
    await setBatchLimit(orders, 1);
    expect(await claim({ ...contracts, isRetry: true }, { block: 13_287n })).toEqual([]);
    expect(await claim({ ...contracts, isRetry: true }, { block: 13_288n })).toHaveLength(1);
  });

  it('wait no longer than from the head when it was far too high for a while', async () => {
    const account = newAccount();
    const leg = await legOf((await redemptions(account, 1))[0]);
    await inTransaction(ledger, (tx) => recordLoneRevert(tx, leg));
    await beginBackoffs(ledger, 'chiado', 10n ** 12n);
    await limitBackoffs(ledger, 'chiado', 1_000n);
    expect((await accountsFrom('', 1_011n)).accounts).toEqual([]);
    expect((await accountsFrom('', 1_012n)).accounts).toEqual([account]);
    await limitBackoffs(ledger, 'chiado', 1_005n);
    expect((await accountsFrom('', 1_012n)).accounts).toEqual([account]);
  });

  it('wait after refusals that the chain decided, and a success takes one failure back', async () => {
    const account = newAccount();
    const orders = await redemptions(account, 4);
    await settle(orders[0], 'invalid signature');
    await settle(orders[1], 'invalid signature');
    expect(await failures()).toEqual([2]);
    await settle(orders[2], null);
    expect(await failures()).toEqual([1]);
    await settle(orders[3], null);
    expect(await failures()).toEqual([]);
  });
});

describe('an unproven contract account', () => {
  it('has one redemption in flight until it is settled, and as many as fit once one has succeeded', async () => {
    const account = newAccount();
    const orders = await redemptions(account, 4);
    const first = await ofAccount(account);
    expect(first.map(({ orderId }) => orderId)).toEqual(orders.slice(0, 1));
    expect((await accountsFrom()).accounts).toEqual([]);
    expect(await ofAccount(account)).toEqual([]);
    await send(first);
    expect((await accountsFrom()).accounts).toEqual([]);
    expect(await ofAccount(account)).toEqual([]);
    await settle(orders[0], null);
    expect((await accountsFrom()).accounts).toEqual([account]);
    expect((await ofAccount(account)).map(({ orderId }) => orderId)).toEqual(orders.slice(1));
  });

  it('is one that succeeded and failed since, until its successes make up for it', async () => {
    const account = await provenAccount();
    const orders = await redemptions(account, 5);
    await settle(orders[0], 'invalid signature');
    await beginBackoffs(ledger, 'chiado', -100n);
    const next = await ofAccount(account);
    expect(next.map(({ orderId }) => orderId)).toEqual(orders.slice(1, 2));
    expect(await ofAccount(account)).toEqual([]);
    await settle(orders[1], null);
    expect(await ofAccount(account)).toHaveLength(3);
  });

  it('has one among the retries, too, and none beside one of another group', async () => {
    const account = newAccount();
    const orders = await redemptions(account, 4);
    const retries = { ...contracts, isRetry: true };
    await setBatchLimit(orders.slice(0, 3), 4);
    expect(await claim(retries)).toHaveLength(1);
    expect(await claim(retries)).toEqual([]);
    expect(await ofAccount(account)).toEqual([]);
  });

  it('has one when many lanes claim at once, and of two groups one each at most', async () => {
    const account = newAccount();
    const orders = await redemptions(account, 20);
    const lanes = Array.from({ length: 8 }, () => newAccount());
    const claimed = await Promise.all(lanes.map((lane) => claim(contracts, { accounts: [account], signer: lane })));
    expect(claimed.flat()).toHaveLength(1);
    await Promise.all(lanes.map((lane) => releaseClaims(ledger, 'chiado', lane)));
    await setBatchLimit(orders.slice(0, 10), 4);
    const mixed = await Promise.all(
      lanes.map((lane, index) => claim({ ...contracts, isRetry: index % 2 === 0 }, { accounts: [account], signer: lane })),
    );
    expect(mixed.flat().length).toBeLessThanOrEqual(2);
  });
});

it('issues of a currency are not claimed once it has a breach, also by a lane that has listed what is ready before', async () => {
  await issueCredits(ledger, [creditTo(iban, 300n)]);
  const [group] = await listReadyGroups(ledger, 'chiado', ['eur']);
  await pool.query(`insert into reserve_breaches (currency, difference) values ('eur', 5)`);
  expect(await claim(group as LegGroup)).toEqual([]);
  expect(await groups()).toEqual([]);
  await pool.query(`update reserve_breaches set acknowledged_at = now(), acknowledged_by = 'jane', reason = 'x', items = '[]'`);
  expect(await claim(group as LegGroup)).toHaveLength(1);
});

it('no two issues have one number of a token, and redemptions have none', async () => {
  await issueCredits(ledger, [creditTo(iban, 300n), creditTo(iban, 400n)]);
  const issues = await claim({ kind: 'issue', currency: 'eur', signedBy: 'nobody', isRetry: false });
  const [first, second] = issues.map(({ id, sequence }) => ({ id, sequence }));
  expect(second?.sequence).toBe((first?.sequence ?? 0n) + 1n);
  await expect(pool.query('update open_legs set sequence = $2 where id = $1', [second?.id, first?.sequence])).rejects.toThrow(
    'open_legs_outcome',
  );
  const account = await provenAccount();
  await redemptions(account, 2);
  expect((await ofAccount(account)).map(({ sequence }) => sequence)).toEqual([null, null]);
});
