import { type Address, createPublicClient, hashMessage, type Hex, http } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpc, type Rpc } from '../../../src/chain/endpoints/rpc.ts';
import { type SignatureCheck, verifySignatures } from '../../../src/chain/signatures/verify.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { execute, fundedAccount, startLocalChain } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, type RpcFault, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { deploySafeSuite, predictSafe } from '../../support/chain/safe.ts';
import { deployToken } from '../../support/chain/token.ts';
import { deployWallet, deployStub, signWithPredictedSafe } from '../../support/chain/wallets.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const anna = fundedAccount(1);
/** Whose transactions ask the accounts. */
const senders = { addresses: [fundedAccount(0).address], tipPerGas: 1n };
const text = 'Send EUR 1 to DE68500105178297336485 at 2026-11-20T17:00Z';
const digest = hashMessage(text);

const chain = forWholeFile(startLocalChain);
let token: Address;
/** One of each: a good and a bad signature, one of a wallet that fails, of no contract, on chain, and of an account to be deployed. */
let checks: SignatureCheck[];
const truth = ['valid', 'invalid', 'invalid', 'invalid', 'valid', 'valid'];
const unavailable = truth.map(() => 'unavailable');

beforeAll(async () => {
  token = await deployToken(chain);
  const suite = await deploySafeSuite(chain, chain.url, '1.4.1');
  const wallet = await deployWallet(chain, 'OwnerWallet', anna.address);
  const approving = await deployWallet(chain, 'ApprovingWallet');
  await execute(chain, approving, approveAbi, 'approve', [digest, true]);
  const failing = await deployStub(chain, { code: '0xfe' });
  const signature = await anna.signMessage({ message: text });
  const predicted = await predictSafe(suite, { owners: [anna.address], threshold: 1 });
  const undeployed = await signWithPredictedSafe(suite, predicted, [anna], text);
  const asked: [Hex, Hex][] = [
    [wallet, signature],
    [wallet, await anna.signMessage({ message: 'another' })],
    [failing, signature],
    [fundedAccount(2).address, signature],
    [approving, '0x'],
    [predicted.address, undeployed],
  ];
  checks = asked.map(([address, given]) => ({
    address: lowerAddress(address),
    token,
    digest,
    signature: given,
    allowUndeployed: true,
  }));
});

const approveAbi = [
  {
    type: 'function',
    name: 'approve',
    stateMutability: 'nonpayable',
    inputs: [{ type: 'bytes32' }, { type: 'bool' }],
    outputs: [],
  },
] as const;

async function verdicts(url: string): Promise<string[]> {
  const rpc = createRpc({ chain: 'chiado', rpcUrls: [url] });
  return (await verifySignatures(rpc, senders, checks, 'latest')).map(({ kind }) => kind);
}

async function withFaulty(work: (faulty: FaultyRpc) => Promise<void>): Promise<void> {
  const faulty = await startFaultyRpc(chain.url);
  try {
    await work(faulty);
  } finally {
    await faulty.close();
  }
}

const faults: [string, RpcFault][] = [
  ['refuses connections', 'refuses'],
  ['is slow', 'hangs'],
  ['breaks off in the middle of its answer', 'cuts'],
  ['answers null', 'null'],
  ['answers 0x', 'empty'],
  ['answers a page', 'not JSON'],
  ['answers all requests with one error', 'one error for all'],
  ['limits requests by 429', { status: 429 }],
  ['limits requests by -32005', { error: { code: -32005, message: 'limit exceeded' } }],
  ['limits requests, with data', { error: { code: -32005, message: 'daily request count exceeded', data: 'see https://example.com' } }],
  ['answers 403', { status: 403 }],
  ['answers 500', { status: 500 }],
  ['answers 503', { status: 503 }],
  ['has an internal error', { error: { code: -32603, message: 'Internal error' } }],
  ['has an internal error with data', { error: { code: -32603, message: 'Internal error', data: '0x08c379a0' } }],
  ['has an internal error with words as data', { error: { code: -32603, message: 'Internal error', data: 'leader changed' } }],
  ['does not have the block', { error: { code: -32000, message: 'header not found' } }],
  ['does not have the state', { error: { code: -32000, message: 'missing trie node 0xab (path )' } }],
  ['runs out of time', { error: { code: -32000, message: 'execution aborted (timeout = 5s)' } }],
  ['does not have the method', { error: { code: -32601, message: 'the method eth_call does not exist' } }],
  ['says that something was reverted', { error: { code: 3, message: 'execution reverted', data: '0x08c379a0' } }],
  ['says out of gas', { error: { code: -32000, message: 'out of gas' } }],
];

describe.concurrent('a node that', () => {
  it.each(faults)('%s decides nothing, and everything once it is well', async (_, fault) => {
    await withFaulty(async (faulty) => {
      await faulty.fail(fault);
      expect(await verdicts(faulty.url)).toEqual(unavailable);
      await faulty.heal();
      expect(await verdicts(faulty.url)).toEqual(truth);
    });
  });
});

it('300 accounts are asked in five HTTP requests, each with its own answer', async () => {
  await withFaulty(async (faulty) => {
    const rpc = createRpc({ chain: 'chiado', rpcUrls: [faulty.url] });
    const many = Array.from({ length: 300 }, (_, index) => checks[index % 5] as SignatureCheck);
    const kinds = (await verifySignatures(rpc, senders, many, 'latest')).map(({ kind }) => kind);
    expect(kinds).toEqual(many.map((_, index) => truth[index % 5]));
    // What a call costs, two probes, and what is left of one twice: 60 accounts that burn all they get use up the gas of calls.
    expect(faulty.requests()).toBe(5);
  });
});

it('an answer to one question is never taken for the answer to another', async () => {
  await withFaulty(async (faulty) => {
    // A client that sends both in one HTTP request, of which the first gets what the second was answered.
    const rpc: Rpc = createPublicClient({ transport: http(faulty.url, { batch: { wait: 0 }, retryCount: 0 }) });
    await faulty.fail('drops the first');
    const two = await Promise.all([1, 0].map((index) => verifySignatures(rpc, senders, checks.slice(index, index + 1), 'latest')));
    expect(two.flat().map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
  });
});

it('what a verdict is missing for is told without the address of the node', async () => {
  const rpc = createRpc({ chain: 'chiado', rpcUrls: ['http://127.0.0.1:9/key-of-the-operator'] });
  const [verdict] = await verifySignatures(rpc, senders, checks.slice(0, 1), 'latest');
  expect(verdict).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/^.{10,200}$/s) });
  expect(JSON.stringify(verdict)).not.toContain('key-of-the-operator');
});
