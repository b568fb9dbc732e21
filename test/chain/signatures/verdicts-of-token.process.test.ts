import { randomUUID } from 'node:crypto';
import { type Address, getContractAddress, hashMessage, type Hex, parseAbi, parseEventLogs } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { feeCeiling, newOffer, offeredTip, unprovenTip } from '../../../src/chain/fee-policy.ts';
import { type Fees, readFeeMarket } from '../../../src/chain/fees.ts';
import { createRpc, type Rpc } from '../../../src/chain/endpoints/rpc.ts';
import { verifySignatures } from '../../../src/chain/signatures/verify.ts';
import { encodeIssue, encodeRedeem } from '../../../src/chain/token/calls.ts';
import { tokenRoles } from '../../../src/chain/token/roles.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { uuidToHex } from '../../../src/platform/uuid.ts';
import { type MinorUnits, minorUnits } from '../../../src/platform/money.ts';
import { execute, fundedAccount, type LocalAccount, localAccount, startLocalChain, transact } from '../../support/chain/local-chain.ts';
import { createSafe, deploySafeSuite, signWithSafe } from '../../support/chain/safe.ts';
import { deployToken } from '../../support/chain/token.ts';
import { deployStub, deployWallet } from '../../support/chain/wallets.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const [operator, anna, jon, second] = [fundedAccount(0), fundedAccount(1), fundedAccount(2), fundedAccount(3)];
const limits = { feeCeilingGwei: 1_000, transactionFeeCeiling: 1_000 };
const text = 'Send EUR 1 to DE68500105178297336485 at 2026-11-20T17:00Z';
const digest = hashMessage(text);
/** Of a transaction of the lane. */
const gas = 16_000_000n;
const magic = `0x1626ba7e${'00'.repeat(28)}` as const;

const chain = forWholeFile(startLocalChain);

const account = async (made: Promise<Address>, approves: boolean, signature: Hex = '0x1234') => ({
  account: await made,
  signature,
  approves,
});

/** Where the operator's first call creates a contract after one more transaction. */
const nextCreation = async () =>
  getContractAddress({ from: operator.address, nonce: BigInt(await chain.getTransactionCount({ address: operator.address })) + 1n });

/** Accounts of every kind with what each is said to have signed, by what it does, and whether a token that allows so much gas is to believe it. */
async function accountsFor(
  token: Address,
  signatureGas: bigint,
  tipPerGas: bigint,
): Promise<Record<string, { account: Address; signature: Hex; approves: boolean }>> {
  const suite = await deploySafeSuite(chain, chain.url, '1.4.1');
  const safe = await createSafe(chain, suite, { owners: [anna.address, jon.address], threshold: 2, saltNonce: Number(signatureGas) });
  const approving = await deployWallet(chain, 'ApprovingWallet');
  await execute(chain, approving, parseAbi(['function approve(bytes32 hash, bool approves)']), 'approve', [digest, true]);
  const signed = await anna.signMessage({ message: text });
  return {
    safe: await account(Promise.resolve(safe), true, await signWithSafe(suite, safe, [anna, jon], text)),
    'safe with one owner of two': await account(
      createSafe(chain, suite, { owners: [anna.address, jon.address], threshold: 2, saltNonce: Number(signatureGas) + 1 }),
      false,
      signed,
    ),
    'by the key of its owner': await account(deployWallet(chain, 'OwnerWallet', anna.address), true, signed),
    'by a foreign key': await account(deployWallet(chain, 'OwnerWallet', jon.address), false, signed),
    'on chain': await account(Promise.resolve(approving), true, '0x'),
    'with nearly all gas': await account(deployWallet(chain, 'ThoroughWallet', signatureGas - 15_000n), true),
    'with more gas than there is': await account(deployWallet(chain, 'ThoroughWallet', signatureGas + 1n), false),
    'needs 300,000 gas': await account(deployWallet(chain, 'ThoroughWallet', 300_000n), signatureGas > 300_000n),
    'needs 700,000 gas': await account(deployWallet(chain, 'ThoroughWallet', 700_000n), signatureGas > 700_000n),
    'for nothing in an estimate': await account(deployWallet(chain, 'BurningWallet'), false),
    'when gas costs something': await account(deployWallet(chain, 'PricedWallet'), true),
    'at the price of the lane': await account(deployWallet(chain, 'TippedWallet', tipPerGas), true),
    'at another price': await account(deployWallet(chain, 'TippedWallet', 1n), false),
    'when the token asks': await account(deployWallet(chain, 'AskedWallet', token), true),
    'when another asks': await account(deployWallet(chain, 'AskedWallet', jon.address), false),
    'when the operator sends': await account(deployWallet(chain, 'OriginWallet', operator.address), true),
    'when another sends': await account(deployWallet(chain, 'OriginWallet', jon.address), false),
    'before anybody has read': await account(deployWallet(chain, 'FirstReaderWallet', token), false),
    'asks for a server': await account(deployWallet(chain, 'LookupWallet', 'http://127.0.0.1:9/'), false),
    'returns megabytes': await account(deployStub(chain, { code: '0x620400005ff3' }), false),
    'burns all gas': await account(deployStub(chain, { code: '0xfe' }), false),
    'says yes and reverts': await account(deployStub(chain, { answer: magic, fails: true }), false),
    'says yes to everything': await account(deployStub(chain, { answer: magic }), true),
    'where something is created': await account(deployWallet(chain, 'CreatedWallet', await nextCreation()), false),
    'without a contract': await account(Promise.resolve(fundedAccount(4).address), false),
  };
}

it.each([190_000n, 500_000n, 1_000_000n])(
  'what the API believes of an account is what a token that allows %d gas does',
  async (signatureGas) => {
    const rpc = createRpc({ chain: 'chiado', rpcUrls: [chain.url] });
    const market = await readFeeMarket(rpc, unprovenTip(limits));
    const fees = newOffer(market, feeCeiling(limits, gas)) as Fees;
    const token = await deployToken(chain, { signatureGas: Number(signatureGas) });
    const accounts = Object.entries(await accountsFor(token, signatureGas, fees.maxPriorityFeePerGas));
    const orders = accounts.map(([name, { account: holder, signature, approves }]) => ({
      name,
      account: holder,
      signature,
      approves,
      orderId: randomUUID(),
      amount: minorUnits(100n),
      message: text,
    }));
    const checks = orders.map(({ orderId, account, signature }) => ({
      address: lowerAddress(account),
      token,
      digest,
      signature,
      orderId,
      allowUndeployed: false,
    }));
    const senders = { addresses: [operator.address], tipPerGas: offeredTip(market, limits) };
    const verdicts = await verifySignatures(rpc, senders, checks, 'latest');
    const believed = orders.filter((_, index) => verdicts[index]?.kind === 'valid').map(({ name }) => name);

    const send = (data: Hex) => transact(chain, { from: operator, to: token, data, gas, ...fees });
    await send(
      encodeIssue(
        orders.map(({ orderId, account: holder, amount }, index) => ({ orderId, account: holder, amount, sequence: BigInt(index) })),
      ),
    );
    const burnt = new Set<string>();
    for (let start = 0; start < orders.length; start += 8) {
      const { logs } = await send(encodeRedeem(orders.slice(start, start + 8)));
      for (const { args } of parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName: 'Redeemed' })) burnt.add(args.orderId.slice(2));
    }

    expect(believed).toEqual(orders.filter(({ orderId }) => burnt.has(uuidToHex(orderId).replace('0x', ''))).map(({ name }) => name));
    expect(believed).toEqual(orders.filter(({ approves }) => approves).map(({ name }) => name));
  },
);

describe('with two signers, of which any may send', () => {
  let rpc: Rpc;
  let token: Address;
  let orders: { name: string; account: Address; signature: Hex; orderId: string; amount: MinorUnits; message: string }[];
  let fees: Fees;
  let tipPerGas: bigint;

  beforeAll(async () => {
    rpc = createRpc({ chain: 'chiado', rpcUrls: [chain.url] });
    token = await deployToken(chain);
    await execute(chain, token, eMoneyTokenAbi, 'grantRole', [tokenRoles.OPERATOR_ROLE, second.address]);
    const market = await readFeeMarket(rpc, unprovenTip(limits));
    fees = newOffer(market, feeCeiling(limits, gas)) as Fees;
    tipPerGas = offeredTip(market, limits);
    const accounts: Record<string, [Address, Hex]> = {
      'by the key of its owner': [await deployWallet(chain, 'OwnerWallet', anna.address), await anna.signMessage({ message: text })],
      'by a foreign key': [await deployWallet(chain, 'OwnerWallet', jon.address), await anna.signMessage({ message: text })],
      'when the first sends': [await deployWallet(chain, 'OriginWallet', operator.address), '0x1234'],
      'when the second sends': [await deployWallet(chain, 'OriginWallet', second.address), '0x1234'],
      'when another sends': [await deployWallet(chain, 'OriginWallet', jon.address), '0x1234'],
      'says yes to everything': [await deployStub(chain, { answer: magic }), '0x1234'],
    };
    orders = Object.entries(accounts).map(([name, [account, signature]]) => ({
      name,
      account,
      signature,
      orderId: randomUUID(),
      amount: minorUnits(100n),
      message: text,
    }));
    const issues = orders.map(({ account, amount }, index) => ({ orderId: randomUUID(), account, amount, sequence: BigInt(index) }));
    await transact(chain, { from: operator, to: token, data: encodeIssue(issues) });
  });

  const verdictsAs = (addresses: readonly Address[], by: Rpc = rpc) => {
    const checks = orders.map(({ account, ...order }) => ({
      ...order,
      address: lowerAddress(account),
      token,
      digest,
      allowUndeployed: false,
    }));
    return verifySignatures(by, { addresses, tipPerGas }, checks, 'latest');
  };
  const believedAs = async (addresses: readonly Address[], by?: Rpc) => {
    const verdicts = await verdictsAs(addresses, by);
    return orders.filter((_, index) => verdicts[index]?.kind === 'valid').map(({ name }) => name);
  };

  /** Whose redemptions are burnt in a transaction of this signer, which is then undone. */
  async function burntBy(from: LocalAccount): Promise<string[]> {
    const id = await chain.snapshot();
    const { logs } = await transact(chain, { from, to: token, data: encodeRedeem(orders), gas, ...fees });
    await chain.revert({ id });
    const redeemed = parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName: 'Redeemed' });
    const burnt = new Set(redeemed.map(({ args }) => args.orderId.slice(2)));
    return orders.filter(({ orderId }) => burnt.has(uuidToHex(orderId).replace('0x', ''))).map(({ name }) => name);
  }

  it('the API believes the accounts that confirm to both', async () => {
    const [byFirst, bySecond] = [await burntBy(operator), await burntBy(second)];
    expect(byFirst).toContain('when the first sends');
    expect(bySecond).toContain('when the second sends');
    const byBoth = byFirst.filter((name) => bySecond.includes(name));
    expect(byBoth).toEqual(['by the key of its owner', 'says yes to everything']);
    expect(await believedAs([operator.address, second.address])).toEqual(byBoth);
    expect(await believedAs([second.address, operator.address])).toEqual(byBoth);
  });

  it('an outage as either confirms nothing, and what the other refuses stays refused', async () => {
    for (const silent of [operator, second]) {
      const faulty = {
        ...rpc,
        request: (call: { params?: [{ from?: Hex }] }) => {
          if (call.params?.[0].from === silent.address) throw new Error('the node does not answer');
          return rpc.request(call as never);
        },
      } as Rpc;
      const verdicts = await verdictsAs([operator.address, second.address], faulty);
      expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(silent === second ? ['unavailable', 'invalid'] : ['unavailable']));
    }
  });

  it('a signer without gas money holds up nobody, and alone it decides nothing', async () => {
    const poor = localAccount(generatePrivateKey()).address;
    expect(await believedAs([poor, operator.address, second.address])).toEqual(['by the key of its owner', 'says yes to everything']);
    const verdicts = await verdictsAs([poor]);
    expect(verdicts.map(({ kind }) => kind)).toEqual(orders.map(() => 'unavailable'));
  });
});
