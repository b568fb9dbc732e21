import { createPublicClient, custom, type Hex, parseEther } from 'viem';
import { describe, expect, it } from 'vitest';
import { isAlreadyKnown, knownTexts, type Refusal, refusalOf, type RefusalKind } from '../../src/chain/refusals.ts';

/** The refusal of a node that answers with this error, through the client that the lanes use. */
async function refusalWith(error: { code?: number; message: string; data?: unknown }): Promise<Refusal> {
  const request = async () => {
    throw Object.assign(new Error(error.message), { code: -32000, ...error });
  };
  const rpc = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
  const raw: Hex = '0x02c0';
  try {
    await rpc.sendRawTransaction({ serializedTransaction: raw });
  } catch (thrown) {
    return refusalOf(thrown);
  }
  throw new Error('the node took it');
}

const hash = `0x${'ab'.repeat(32)}`;
const address = `0x${'cd'.repeat(20)}`;

/** Answers as the nodes give them, with their values. */
const answers: Record<RefusalKind, string[]> = {
  known: [
    'already known',
    'Known transaction',
    `[${hash}]: already imported`,
    `Tx: [${hash}] already Imported`,
    'AlreadyKnown',
    'existing txn with same hash',
  ],
  nonce_used: [
    'nonce too low',
    'nonce too low: next nonce 7, tx nonce 6',
    'Nonce too low',
    'OldNonce, Current nonce: 7, nonce of rejected tx: 6',
    `nonce too low: address ${address}, tx: 6 state: 7`,
    'mined',
  ],
  replacement_underpriced: [
    'replacement transaction underpriced',
    'Replacement transaction underpriced',
    'replacement transaction underpriced: new tx gas tip cap 1 < 2 queued + 10% replacement penalty',
    `Tx: [${hash}] insufficient gas price to replace existing transaction`,
    'could not replace existing tx',
    'ReplacementNotAllowed',
  ],
  underpriced: [
    'transaction underpriced',
    'transaction underpriced: gas tip cap 1, minimum needed 25000000000',
    'underpriced',
    'fee too low',
    'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7, MaxPriorityFeePerGas:1, Block number: 9',
    'FeeTooLowToCompete',
    `max fee per gas less than block base fee: address ${address}, maxFeePerGas: 1, baseFee: 10000000`,
    'Gas price below configured minimum gas price',
    'Gas price below current base fee',
    'Gas price too low',
    'transaction feeCap 1 below chain minimum',
  ],
  capped: ['tx fee (1.20 ether) exceeds the configured cap (1.00 ether)', 'Transaction fee cap exceeded'],
  unfunded: [
    'insufficient funds for gas * price + value: balance 5, tx cost 9, overshot 4',
    'insufficient funds for gas * price + value: balance 5, queued cost 3, tx cost 9, overshot 7',
    'Insufficient funds for gas * price + value',
    'invalid transaction: insufficient funds for l1fee + gas * price + value',
    'insufficient funds for transfer',
    'InsufficientFunds, Account balance: 5, cumulative cost: 9',
    'insufficient funds',
    'Upfront cost exceeds account balance',
    'not enough funds for gas',
    'transaction would cause overdraft: balance 5, queued cost 1, tx cost 9, overshot 5',
  ],
  nonce_gap: [
    'nonce too high',
    `nonce too high: address ${address}, tx: 9 state: 7`,
    'NonceGap, Future nonce. Expected nonce: 7',
    'Transaction nonce is too distant from current sender nonce',
    'gapped-nonce tx from delegated accounts',
  ],
  invalid: [
    'exceeds block gas limit',
    'Transaction gas limit exceeds block gas limit',
    "transaction's gas limit 5 exceeds block's gas limit 4",
    'transaction gas limit too high (cap: 16777216, tx: 21000000)',
    'GasLimitExceeded, Gas limit: 4, gas limit of rejected tx: 5',
    'Gas limit of transaction is greater than the allowed max of 24000000',
    'oversized data: transaction size 131253, limit 131072',
    'RLPTooLong',
    'Calldata of transaction is greater than the allowed max of 60000',
    'intrinsic gas too low: gas 21000, minimum needed 21464',
    'Intrinsic gas exceeds gas limit',
    `Transaction ${hash} line count for module PRECOMPILE_ECRECOVER_EFFECTIVE_CALLS=600 is above the limit 128`,
    `Transaction ${hash} was already identified to go over line count limit`,
    `sender ${address} is blocked as appearing on the SDN or other legally prohibited list`,
    'Sender account not authorized to send transactions',
    'Reverted transaction: 0x08c379a0',
    'execution reverted',
    'invalid sender: invalid chain id for signer: have 100 want 10200',
    'Wrong chainId',
    'transaction type not supported',
    'sender not an eoa',
    'Invalid, transaction Hash is null',
  ],
  unclear: [
    'too many requests',
    'txpool is full',
    'queue full',
    'node is syncing',
    'Internal error',
    'header not found',
    'account limit exceeded',
    'HTTP request failed.',
    '',
  ],
};

const isKnownText = (message: string) => isAlreadyKnown(new Error(message));

describe('the refusal of a transaction', () => {
  for (const [kind, texts] of Object.entries(answers)) {
    it.each(texts)(`is ${kind}: "%s"`, async (message) => {
      expect((await refusalWith({ message })).kind).toBe(kind);
    });
  }

  it('has a text in the tests for each text in the table', () => {
    const all = Object.values(answers).flat();
    expect(knownTexts.filter(({ text }) => !all.some((answer) => text.test(answer))).map(({ text }) => text.source)).toEqual([]);
  });

  it('is read from what a node adds to its text', async () => {
    const message = 'Plugin has marked the transaction as invalid';
    expect((await refusalWith({ message, data: 'Gas price too low' })).kind).toBe('underpriced');
  });

  it('is read whatever code the node gives it', async () => {
    for (const code of [-32000, -32003, -32005, -32010, -32603, 3])
      expect((await refusalWith({ code, message: 'exceeds block gas limit' })).kind).toBe('invalid');
  });

  it.each([
    ['tx fee (1.20 ether) exceeds the configured cap (1.00 ether)', parseEther('1')],
    ['tx fee (0.20 ether) exceeds the configured cap (0.05 ether)', parseEther('0.05')],
    ['tx fee (1200000000000000000 wei) exceeds the configured cap (900000000000000000 wei)', parseEther('0.9')],
    ['Transaction fee cap exceeded', parseEther('1')],
  ])('tells what a node lets a transaction cost: "%s"', async (message, capWei) => {
    expect(await refusalWith({ message })).toMatchObject({ capWei });
  });

  it('shows no address of an endpoint', async () => {
    expect((await refusalWith({ message: 'see https://node.example/v1/secret-key' })).text).not.toContain('secret-key');
  });

  it('means that a node has the transaction, or another with its nonce, for what it knows or may not replace', () => {
    expect(isKnownText('already known')).toBe(true);
    expect(isKnownText('nonce too low')).toBe(true);
    expect(isKnownText('replacement transaction underpriced')).toBe(true);
    expect(isKnownText('transaction underpriced')).toBe(false);
  });
});
