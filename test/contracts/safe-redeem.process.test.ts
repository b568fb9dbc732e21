import { randomUUID } from 'node:crypto';
import { type Address, type Hex, hashMessage, parseEventLogs, parseUnits, type TransactionReceipt } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeAll, describe, expect, test } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { encodeIssue, encodeRedeem, type RedeemItem } from '../../src/chain/token/calls.ts';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { fundedAccount, type LocalAccount, localAccount, startLocalChain, transact } from '../support/chain/local-chain.ts';
import { approveWithSafe, createSafe, deploySafeSuite, type SafeSuite, signWithNestedSafe, signWithSafe } from '../support/chain/safe.ts';
import { deployToken } from '../support/chain/token.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

/** The places of `RedemptionRefusal` in the contract. */
const WRONG_AMOUNT = 3;
const INVALID_SIGNATURE = 6;
const INSUFFICIENT_BALANCE = 8;

const admin = fundedAccount(0);
const owners: [LocalAccount, LocalAccount, LocalAccount] = [fundedAccount(1), fundedAccount(2), fundedAccount(3)];
const ownerAddresses = owners.map(({ address }) => address);

const chain = forWholeFile(() => startLocalChain({ blockTime: 1 }));
let token: Address;
let sequence = 0n;

beforeAll(async () => {
  token = await deployToken(chain, { admin });
});

describe.each(['1.4.1', '1.5.0'] as const)('Safe %s', (version) => {
  let suite: SafeSuite;

  beforeAll(async () => {
    suite = await deploySafeSuite(chain, chain.url, version);
  });

  test('one batch redeems from a key, a signing, an approving and a nested Safe and an EIP-7702 account, and refuses what nobody signed', async () => {
    const key = localAccount(generatePrivateKey());
    const poor = localAccount(generatePrivateKey());
    const delegated = await delegatedAccount(suite);
    const signing = await createSafe(chain, suite, { owners: ownerAddresses, threshold: 2, saltNonce: 1 });
    const approving = await createSafe(chain, suite, { owners: ownerAddresses, threshold: 2, saltNonce: 2 });
    const outer = await createSafe(chain, suite, { owners: [signing], threshold: 1, saltNonce: 3 });
    const unsigned = await createSafe(chain, suite, { owners: ownerAddresses, threshold: 2, saltNonce: 4 });
    await issue([key.address, delegated.address, signing, approving, outer, unsigned]);

    await approveWithSafe(chain, suite, approving, [owners[0], owners[2]], text(4));
    const good = [
      item(key.address, 1, text(1), await key.signMessage({ message: text(1) })),
      item(delegated.address, 2, text(2), await delegated.signMessage({ message: text(2) })),
      item(signing, 3, text(3), await signWithSafe(suite, signing, [owners[0], owners[1]], text(3))),
      item(approving, 4, text(4), '0x'),
      item(outer, 5, text(5), await signWithNestedSafe(suite, outer, signing, [owners[1], owners[2]], text(5))),
    ];
    const bad = [
      // One owner of two.
      item(unsigned, 6, text(6), await signWithSafe(suite, unsigned, [owners[0]], text(6))),
      // Not approved on chain.
      item(unsigned, 7, text(7), '0x'),
      // Signed, but for another amount than the operator claims.
      item(key.address, 9, text(8), await key.signMessage({ message: text(8) })),
      item(poor.address, 9, text(9), await poor.signMessage({ message: text(9) })),
    ];
    const [one, unapproved, otherAmount, penniless] = bad;
    const batch = [one, ...good.slice(0, 3), unapproved, otherAmount, ...good.slice(3), penniless].filter((each) => each !== undefined);
    const before = await supply();
    const receipt = await redeem(batch);

    expect(redeemed(receipt)).toEqual(good.map(outcome));
    expect(refused(receipt)).toEqual([
      { ...outcome(one), reason: INVALID_SIGNATURE },
      { ...outcome(unapproved), reason: INVALID_SIGNATURE },
      { ...outcome(otherAmount), reason: WRONG_AMOUNT },
      { ...outcome(penniless), reason: INSUFFICIENT_BALANCE },
    ]);
    for (const { account, amount } of good) expect(await balance(account)).toBe(toTokenUnits(minorUnits(100_00n - amount)));
    expect(await balance(unsigned)).toBe(parseUnits('100', 18));
    expect(await supply()).toBe(before - parseUnits('15', 18));
  });

  test('the gas that a node estimates for a batch is enough for its Safes', async () => {
    const safe = await createSafe(chain, suite, { owners: ownerAddresses, threshold: 2, saltNonce: 6 });
    await issue([safe]);
    const message = `Send EUR 7 to DE68500105178297336485 at ${minute(3)}`;
    const signed = item(safe, 7, message, await signWithSafe(suite, safe, [owners[0], owners[1]], message));
    const receipt = await transact(chain, { from: admin, to: token, data: encodeRedeem([signed]) });
    expect(redeemed(receipt)).toHaveLength(1);
  });

  test('a Safe of eleven owners passes within the gas that a signature may spend', async () => {
    const many = Array.from({ length: 11 }, () => localAccount(generatePrivateKey()));
    const safe = await createSafe(chain, suite, { owners: many.map(({ address }) => address), threshold: 11, saltNonce: 7 });
    await issue([safe]);
    const message = `Send EUR 7 to DE68500105178297336485 at ${minute(3)}`;
    expect(redeemed(await redeem([item(safe, 7, message, await signWithSafe(suite, safe, many, message))]))).toHaveLength(1);
  });
});

function text(n: number): string {
  return `Send EUR ${n} to DE68500105178297336485 at ${minute(n)}`;
}

/** A time of today, since messages expire on chain. */
function minute(n: number): string {
  return `${new Date().toISOString().slice(0, 10)}T17:0${n}Z`;
}

/** A key whose account carries the code of a Safe. */
async function delegatedAccount(suite: SafeSuite): Promise<LocalAccount> {
  const account = localAccount(generatePrivateKey());
  const authorization = await account.signAuthorization({ address: suite.addresses.Safe, chainId: chain.chain.id, nonce: 0 });
  const hash = await chain.sendTransaction({ account: admin, to: account.address, authorizationList: [authorization] });
  await chain.waitForTransactionReceipt({ hash });
  expect(await chain.getCode({ address: account.address })).toBe(`0xef0100${suite.addresses.Safe.slice(2).toLowerCase()}`);
  return account;
}

function item(account: Address, amount: number, message: string, signature: Hex): RedeemItem {
  const orderId = hashMessage(`${account}${message}`).slice(2, 34);
  return { orderId, account, amount: minorUnits(BigInt(amount * 100)), message, signature };
}

/** Gives each account 100 euros. */
function issue(accounts: readonly Address[]): Promise<TransactionReceipt> {
  const items = accounts.map((account) => ({ sequence: sequence++, orderId: randomUUID(), account, amount: minorUnits(100_00n) }));
  return transact(chain, { from: admin, to: token, data: encodeIssue(items) });
}

function redeem(items: readonly RedeemItem[]): Promise<TransactionReceipt> {
  return transact(chain, { from: admin, to: token, data: encodeRedeem(items), gas: 10_000_000n });
}

function redeemed({ logs }: TransactionReceipt) {
  return parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName: 'Redeemed' }).map(({ args }) => args);
}

function refused({ logs }: TransactionReceipt) {
  return parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName: 'RedemptionRefused' }).map(({ args }) => args);
}

/** What the event of an item says besides the reason of a refusal. */
function outcome(each: RedeemItem | undefined) {
  if (!each) throw new Error('there is no such item');
  const { orderId, account, amount, message } = each;
  return { orderId: `0x${orderId}`, account, amount: toTokenUnits(amount), messageHash: hashMessage(message) };
}

function balance(account: Address): Promise<bigint> {
  return chain.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [account] });
}

function supply(): Promise<bigint> {
  return chain.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'totalSupply' });
}
