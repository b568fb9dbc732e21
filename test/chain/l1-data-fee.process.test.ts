import { concat, type Hex, numberToHex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { l1DataFee } from '../../src/chain/l1-data-fee.ts';
import { createRpc } from '../../src/chain/endpoints/rpc.ts';
import { startAnvil } from '../support/chain/anvil.ts';
import { startLocalChain } from '../support/chain/local-chain.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const weiPerByte = 1_000_000_000;

/** A contract that returns 10^9 wei for each unit of what is on the stack first: MUL, MSTORE, RETURN. */
const priced = (first: Hex) => concat([first, '0x63', numberToHex(weiPerByte, { size: 4 }), '0x025f5260205ff3']);

/** CALLDATALOAD of the first argument: the size, for `getL1FeeUpperBound`. */
const bySize = priced('0x600435');
/** CALLDATALOAD of the second word: the length of the bytes, for `getL1Fee`. */
const byLength = priced('0x602435');

const chain = forWholeFile(startLocalChain);
beforeAll(async () => {
  await chain.setCode({ address: '0x420000000000000000000000000000000000000f', bytecode: bySize });
  await chain.setCode({ address: '0x5300000000000000000000000000000000000002', bytecode: byLength });
});
const rpc = () => createRpc({ chain: 'base', rpcUrls: [chain.url] });

describe('what the publication of a transaction costs', () => {
  it.each(['base', 'basesepolia', 'scroll', 'scrollsepolia'] as const)(
    'is twice what the contract of %s tells for its size',
    async (chain) => {
      expect(await l1DataFee(rpc(), chain, 1_000)).toBe(2n * 1_000n * BigInt(weiPerByte));
      expect(await l1DataFee(rpc(), chain, 60_000)).toBe(2n * 60_000n * BigInt(weiPerByte));
    },
  );

  it.each(['ethereum', 'gnosis', 'polygon', 'arbitrum', 'linea'] as const)('is nothing besides the gas on %s', async (chain) => {
    expect(await l1DataFee(rpc(), chain, 1_000)).toBe(0n);
  });

  it('is nothing on a chain without the contract', async () => {
    const bare = await startAnvil();
    expect(await l1DataFee(createRpc({ chain: 'base', rpcUrls: [bare.url] }), 'base', 1_000)).toBe(0n);
    await bare.stop();
  });

  it('is not guessed while no node answers', async () => {
    const silent = createRpc({ chain: 'base', rpcUrls: ['http://127.0.0.1:1'] });
    await expect(l1DataFee(silent, 'base', 1_000)).rejects.toThrow('HTTP request failed');
  });
});
