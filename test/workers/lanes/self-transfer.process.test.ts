import { describe, expect, it } from 'vitest';
import { createRpc, type Rpc } from '../../../src/chain/endpoints/rpc.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { networkSettings } from '../../../src/platform/settings.ts';
import { signSelfTransfer } from '../../../src/workers/lanes/self-transfer.ts';
import { operator, startTestNetwork } from '../../support/chain/network.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const network = forWholeFile(() => startTestNetwork({ databaseUrl: 'postgres://unused', mines: false }));
const signer = createKeySigner(operator.privateKey);
const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
const settings = () => networkSettings(network.settings, 'chiado');

describe('a self-transfer', () => {
  it('uses up the nonce and nothing else', async () => {
    const rpc = createRpc(settings());
    const { raw, hash, gasLimit } = await signSelfTransfer({ rpc, signer, network: settings() }, { nonce: 0n, fees });
    expect(gasLimit).toBe(21_000n);
    await rpc.sendRawTransaction({ serializedTransaction: raw });
    await network.rpc.mine({ blocks: 1 });
    expect(await rpc.getTransactionReceipt({ hash })).toMatchObject({ status: 'success', gasUsed: 21_000n });
    expect(await rpc.getTransactionCount({ address: signer.address })).toBe(1);
  });

  it.each([
    ['half as much gas again as a node estimates', () => Promise.resolve(400_000n), 600_000n],
    ['no more gas than a transaction of the network should have', () => Promise.resolve(10n ** 12n), 8_500_000n],
    ['the gas of a transfer when no node answers', () => Promise.reject(new Error('HTTP request failed')), 21_000n],
  ])('has %s', async (_, estimateGas, expected) => {
    const rpc = { ...createRpc(settings()), estimateGas } as Rpc;
    const { gasLimit } = await signSelfTransfer({ rpc, signer, network: settings() }, { nonce: 1n, fees });
    expect(gasLimit).toBe(expected);
  });
});
