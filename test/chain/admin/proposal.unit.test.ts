import { type Address, hashTypedData } from 'viem';
import { describe, expect, it } from 'vitest';
import { type Proposal, readProposal, withSignatures, writeProposal } from '../../../src/chain/admin/proposal.ts';
import { hashSafeTransaction, signSafeTransaction } from '../../../src/chain/admin/safe-transaction.ts';
import { encodeChange } from '../../../src/chain/admin/token-change.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';

const first = createKeySigner(`0x${'a'.repeat(64)}`);
const second = createKeySigner(`0x${'b'.repeat(64)}`);
const account: Address = `0x${'1'.repeat(40)}`;
const other: Address = `0x${'4'.repeat(40)}`;
const token = { chain: 'gnosis', currency: 'eur', address: `0x${'2'.repeat(40)}` } as const;
const data = encodeChange({ kind: 'grant', role: 'BLOCKER_ROLE', account });
const transaction = { chainId: 100, safe: `0x${'5'.repeat(40)}`, version: '1.4.1', to: token.address, data, nonce: 7 } as const;
const unsigned: Proposal = { token, transaction, block: 12n, signatures: [] };
const proposal = withSignatures(unsigned, [await signSafeTransaction(transaction, first)]);

type File = Record<string, unknown> & { transaction: Record<string, unknown>; signatures: { signer: string; data: string }[] };
const file = () => JSON.parse(writeProposal(proposal)) as File;
const withTransaction = (changed: Record<string, unknown>) => ({ ...file(), transaction: { ...file().transaction, ...changed } });

describe('a proposal', () => {
  it('is read as it was written, with what it does in words', () => {
    expect(readProposal(writeProposal(proposal))).toEqual({
      ...proposal,
      signatures: [{ signer: expect.stringMatching(new RegExp(first.address, 'i')) as string, data: proposal.signatures[0]?.data }],
    });
    expect(file()).toMatchObject({
      summary: `EURe ${token.address} on Gnosis (chain id 100): give the role blocker to ${account}: it may block accounts`,
      safeTxHash: hashSafeTransaction(transaction),
    });
  });

  it('has the hash of EIP-712 that a Safe computes', () => {
    const zero = `0x${'0'.repeat(40)}`;
    const fields = ['to:address', 'value:uint256', 'data:bytes', 'operation:uint8', 'safeTxGas:uint256', 'baseGas:uint256'];
    const more = ['gasPrice:uint256', 'gasToken:address', 'refundReceiver:address', 'nonce:uint256'];
    const SafeTx = [...fields, ...more].map((field) => ({ name: field.split(':')[0] as string, type: field.split(':')[1] as string }));
    const gas = { safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: zero, refundReceiver: zero };
    const message = { to: token.address, value: 0n, data, operation: 0, ...gas, nonce: 7n };
    const domain = { chainId: 100, verifyingContract: transaction.safe };
    expect(hashSafeTransaction(transaction)).toBe(hashTypedData({ domain, types: { SafeTx }, primaryType: 'SafeTx', message }));
  });

  it('gathers signatures, each owner once', async () => {
    const both = withSignatures(proposal, [await signSafeTransaction(transaction, second), await signSafeTransaction(transaction, first)]);
    expect(both.signatures.map(({ signer }) => signer)).toEqual([first.address, second.address]);
    expect(readProposal(writeProposal(both)).signatures).toHaveLength(2);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['another call', () => withTransaction({ data: encodeChange({ kind: 'pause' }) }), /the hash is/],
    ['another account in the call', () => withTransaction({ data: data.replace('1'.repeat(40), '4'.repeat(40)) }), /the hash is/],
    ['another nonce', () => withTransaction({ nonce: 8 }), /the hash is/],
    ['another Safe', () => ({ ...file(), safe: other }), /the hash is/],
    ['another network', () => ({ ...file(), chain: 'chiado', chainId: 10_200 }), /the hash is/],
    ['the chain id of another network', () => ({ ...file(), chainId: 1 }), /chain id 1 is not that of gnosis/],
    ['another token', () => ({ ...file(), token: other }), /is no change of the token/],
    [
      'a softer summary',
      () => ({ ...file(), summary: 'pause the token' }),
      /the summary says “pause the token”, but what would be signed is: .*give the role blocker/,
    ],
    ['money', () => withTransaction({ value: '1' }), /moves money, delegates or pays back gas/],
    ['a delegate call', () => withTransaction({ operation: 1 }), /moves money, delegates or pays back gas/],
    ['a refund of gas', () => withTransaction({ gasPrice: '1', refundReceiver: other }), /moves money, delegates or pays back gas/],
    [
      'a signature of another transaction',
      async () => {
        const signatures = [await signSafeTransaction({ ...transaction, nonce: 8 }, first)];
        return { ...file(), signatures };
      },
      /a signature is not that of 0x/,
    ],
    [
      'a signature under another name',
      () => ({ ...file(), signatures: file().signatures.map(({ data: bytes }) => ({ signer: other, data: bytes })) }),
      /a signature is not that of 0x4444/,
    ],
    [
      'a signature of a kind that a Safe reads as an approval on chain',
      () => {
        const signatures = file().signatures.map(({ signer, data: bytes }) => ({ signer, data: bytes.replace(/1[bc]$/, '01') }));
        return { ...file(), signatures };
      },
      /a signature is not that of 0x/,
    ],
    ['a signature twice', () => ({ ...file(), signatures: [...file().signatures, ...file().signatures] }), /twice/],
  ])('is refused with %s', async (_, tampered, message) => {
    const text = JSON.stringify(await tampered());
    expect(() => readProposal(text)).toThrow(
      expect.objectContaining({ code: 'proposal_mismatch', message: expect.stringMatching(message) as string }),
    );
  });

  it.each([
    ['is empty', ''],
    ['is no JSON', 'Please sign'],
    ['is too long', ' '.repeat(100_001)],
    ['has a further field', JSON.stringify({ ...file(), note: 'urgent' })],
    ['lacks a field', JSON.stringify({ ...file(), safe: undefined })],
    ['has a nonce that is no number', JSON.stringify(withTransaction({ nonce: '7' }))],
  ])('is no proposal when it %s', (_, text) => {
    expect(() => readProposal(text)).toThrow(
      expect.objectContaining({ code: 'bad_input', message: expect.stringContaining('This is not a proposal') as string }),
    );
  });
});
