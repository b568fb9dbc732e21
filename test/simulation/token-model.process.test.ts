import { type Abi, type Address, encodeFunctionData, type Hex, keccak256, stringToHex, toFunctionSelector } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { encodeIssue, encodeRedeem } from '../../src/chain/token/calls.ts';
import { revertData } from '../../src/chain/endpoints/rpc.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { fundedAccount, type LocalAccount, localAccount, startLocalChain } from '../support/chain/local-chain.ts';
import { deployToken } from '../support/chain/token.ts';
import { forWholeFile } from '../support/for-whole-file.ts';
import { contractAccountKinds, type ContractAccountKind } from './node/contract-accounts.ts';
import { calldataGas } from './node/token-gas.ts';
import { addOperator, callToken, createToken, type TokenState } from './node/token-model.ts';
import { createRandom, type Random } from './random.ts';

const admin = fundedAccount(0);
const operator = fundedAccount(1);
const stranger = fundedAccount(2);
const holders = [0, 1, 2].map((index) => localAccount(keccak256(stringToHex(`holder ${index}`))));
const contracts = new Map<string, ContractAccountKind>(
  Object.entries(contractAccountKinds).map(([name, kind]) => [keccak256(stringToHex(name)).slice(0, 42), kind]),
);
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const lower = (address: Address) => address.toLowerCase() as Address;

const chain = forWholeFile(startLocalChain);
let token: Address;
let model: TokenState;
let timestamp: bigint;

const anyAbi: Abi = eMoneyTokenAbi;
const allowance = 100_000n;
const gasPrice = 10n ** 9n;

beforeAll(async () => {
  token = lower(await deployToken(chain, { operator: operator.address, mintAllowance: allowance * 10n ** 16n }));
  model = createToken({ address: token, currency: 'EUR', admin: lower(admin.address), signatureGas: 500_000 });
  addOperator(model, lower(operator.address), allowance);
  for (const [address, { code }] of contracts) await chain.setCode({ address: address as Address, bytecode: code });
  ({ timestamp } = await chain.getBlock());
});

interface Sent {
  from: LocalAccount;
  data: Hex;
}

/** `CALLS=1000` compares more. */
const calls = Number(process.env.CALLS ?? 150);

/** Most gas of a transaction in this test. */
const plentyGas = 8_000_000;

/** What the model says of a call in the next block, with this much gas for the whole transaction. */
function callModel({ from, data }: Sent, gas: number) {
  const context = { sender: lower(from.address), timestamp: timestamp + 1n, gasPrice, gas: gas - calldataGas(data).intrinsic, contracts };
  return callToken(model, data, context);
}

/** The least gas of a transaction with which the model succeeds. */
function leastGas(call: Sent): number {
  let [tooLittle, enough] = [calldataGas(call.data).floor, plentyGas];
  while (enough - tooLittle > 100) {
    const middle = Math.floor((tooLittle + enough) / 2);
    if ('state' in callModel(call, middle)) enough = middle;
    else tooLittle = middle;
  }
  return enough;
}

const batchSelectors = new Set<string>(['issue(bytes)', 'redeem(bytes)'].map((signature) => toFunctionSelector(signature)));

/** Administration's gas is not modelled. */
function isBatch({ data }: Sent): boolean {
  return batchSelectors.has(data.slice(0, 10));
}

/** Mostly plenty; else clearly more or clearly less than what is needed: a model of gas is not exact. */
function gasFor(call: Sent, random: Random): number {
  if (!isBatch(call) || !random.chance('tight gas', 0.3) || !('state' in callModel(call, plentyGas))) return plentyGas;
  return Math.floor(leastGas(call) * random.pick('gas', [1.2, 0.8]));
}

/** Executes a transaction on Anvil and on the model, and compares all that can be seen of it. Returns how far the model's gas is off. */
async function compare(call: Sent, random: Random): Promise<number> {
  const { from, data } = call;
  const gas = gasFor(call, random);
  const result = callModel(call, gas);
  timestamp += 1n;
  await chain.setNextBlockTimestamp({ timestamp });
  await chain.setNextBlockBaseFeePerGas({ baseFeePerGas: gasPrice });
  const hash = await chain.sendTransaction({
    account: from,
    to: token,
    data,
    gas: BigInt(gas),
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: 0n,
  });
  await chain.mine({ blocks: 1 });
  const receipt = await chain.getTransactionReceipt({ hash });
  expect(receipt.status).toBe('events' in result ? 'success' : 'reverted');
  const logs = receipt.logs.map(({ address, topics, data: words }) => ({ address, topics, data: words }));
  expect(logs).toEqual('events' in result ? result.events : []);
  if ('reverted' in result && gas === plentyGas) expect(await revertOf(call, receipt.blockNumber - 1n)).toBe(result.reverted);
  if (!('state' in result)) return 0;
  model = result.state;
  if (!isBatch(call)) return 0;
  const { intrinsic, floor } = calldataGas(data);
  return Math.max(intrinsic + result.gasUsed, floor) - Number(receipt.gasUsed);
}

async function revertOf({ from, data }: Sent, blockNumber: bigint): Promise<Hex | undefined> {
  try {
    await chain.call({ account: from, to: token, data, gas: BigInt(plentyGas), blockNumber });
    return undefined;
  } catch (error) {
    return revertData(error);
  }
}

async function expectSameState() {
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  expect(await chain.readContract({ ...read, functionName: 'totalSupply' })).toBe(model.supply);
  for (const account of [...holders.map(({ address }) => address), ...contracts.keys()] as Address[])
    expect(await chain.readContract({ ...read, functionName: 'balanceOf', args: [account] })).toBe(
      model.balances.get(account.toLowerCase()) ?? 0n,
    );
}

/** A text that a holder could sign; now and then one that the token refuses. */
function messageOf(random: Random, amount: bigint): string {
  const time = new Date(Number(timestamp) * 1_000 - random.integer('age', 0, 60) * (random.chance('old', 0.1) ? 86_400_000 : 1_000));
  const currency = random.chance('other currency', 0.05) ? 'GBP' : 'EUR';
  const shown = random.chance('other amount', 0.05) ? amount + 1n : amount;
  const text = `Send ${currency} ${shown / 100n}.${String(shown % 100n).padStart(2, '0')} to x at ${time.toISOString()}`;
  return random.chance('malformed', 0.05) ? text.replace('to', 'TO') : text;
}

const usedMessages: { account: Address; message: string; signature: Hex; amount: bigint; orderId: string }[] = [];

async function redeemItem(random: Random, number: number) {
  const repeated = usedMessages[random.integer('repeated', 0, usedMessages.length * 4)];
  if (repeated)
    return {
      ...repeated,
      orderId: random.chance('same order', 0.5) ? repeated.orderId : uuid(number),
      amount: minorUnits(repeated.amount),
    };
  const amount = BigInt(random.integer('amount', 0, 3_000));
  const message = messageOf(random, amount);
  const byContract = random.chance('by contract', 0.4);
  const holder = random.pick('holder', holders);
  const account = byContract ? (random.pick('contract', [...contracts.keys()]) as Address) : lower(holder.address);
  const isFalse = random.chance('false signature', 0.15);
  const signature = byContract ? ('0x1234' as Hex) : await holder.signMessage({ message: isFalse ? `${message}!` : message });
  const item = { orderId: uuid(number), account, amount: minorUnits(amount), message, signature };
  usedMessages.push({ ...item, amount });
  return item;
}

function issueItem(random: Random, number: number, highest: bigint) {
  const everyone = [...holders.map(({ address }) => lower(address)), ...contracts.keys(), token, `0x${'0'.repeat(40)}`] as Address[];
  return {
    orderId: uuid(number),
    account: random.pick('account', everyone),
    amount: minorUnits(BigInt(random.chance('zero', 0.05) ? 0 : random.integer('amount', 1, 400))),
    sequence: highest + BigInt(random.integer('sequence', -3, 6)),
  };
}

const unpausing: Sent = { from: admin, data: encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'unpause' }) };

async function randomCall(random: Random, number: number): Promise<Sent> {
  const from = random.chance('stranger', 0.03) ? stranger : operator;
  const count = random.integer('items', 0, 6);
  const kind = random.number('kind');
  if (kind < 0.4) {
    const items = Array.from({ length: count }, (_, index) =>
      issueItem(random.of(`issue ${index}`), number * 100 + index, BigInt(model.sequences.size)),
    );
    const distinct = [...new Map(items.map((item) => [item.sequence, item])).values()].filter(({ sequence }) => sequence >= 0n);
    return { from, data: encodeIssue(distinct) };
  }
  if (kind < 0.85) {
    const items = await Promise.all(
      Array.from({ length: count }, (_, index) => redeemItem(random.of(`redeem ${index}`), number * 100 + index)),
    );
    return { from, data: encodeRedeem(items) };
  }
  const account = random.pick('blocked', holders).address;
  const current = (model.limits.get(lower(operator.address))?.allowance ?? 0n) * 10n ** 16n;
  const raised = allowance * 10n ** 16n;
  const call = random.pick('administration', [
    { functionName: 'pause' },
    { functionName: 'unpause' },
    { functionName: 'blockAccount', args: [account] },
    { functionName: 'unblockAccount', args: [account] },
    { functionName: 'unblockAccount', args: [account] },
    { functionName: 'setMintAllowance', args: [operator.address, current, raised, raised] },
    { functionName: 'setMintAllowance', args: [operator.address, 0n, 10n ** 16n, 10n ** 16n] },
  ]);
  const data = encodeFunctionData({ abi: anyAbi, ...call });
  return { from: random.chance('no admin', 0.1) ? stranger : admin, data };
}

describe('the model of the token', () => {
  it(`does what the contract does, for ${calls} random calls: the same events and balances, the same reverts`, async () => {
    const gasOff: number[] = [];
    for (let number = 0; number < calls; number += 1) {
      const random = createRandom(`call ${number}`);
      const unpause = model.paused && random.chance('go on', 0.5);
      const call = unpause ? unpausing : await randomCall(random, number);
      gasOff.push(Math.abs(await compare(call, random)));
    }
    expect(Math.max(...gasOff)).toBeLessThan(20_000);
    expect(gasOff.reduce((sum, off) => sum + off, 0) / gasOff.length).toBeLessThan(3_500);
    await expectSameState();
  });
});
