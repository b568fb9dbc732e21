import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Running } from '../../src/platform/loop.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { operator } from '../support/chain/network.ts';
import { deployWallet } from '../support/chain/wallets.ts';
import { setUpSignatureChecks, type SignatureChecks } from './signature-checks.ts';

const [second, anna] = [fundedAccount(2), fundedAccount(3)];

let stage: SignatureChecks;
let worker: Running;

beforeEach(async () => {
  stage = await setUpSignatureChecks({ CHIADO_SIGNERS: `${operator.privateKey},${second.privateKey}` });
  worker = await runChainWorker(stage.network.settings, 'chiado');
});

afterEach(async () => {
  await worker.close();
  await stage.close();
});

it('a worker believes an account that confirms in transactions of each of its signers, and not one that confirms in those of one alone', async () => {
  const text = 'I hereby declare that I am the address owner.';
  const links = [
    await stage.link({ address: await deployWallet(stage.chain, 'OriginWallet', operator.address), signature: '0x1234' }),
    await stage.link({ address: await deployWallet(stage.chain, 'OriginWallet', second.address), signature: '0x1234' }),
    await stage.link({
      address: await deployWallet(stage.chain, 'OwnerWallet', anna.address),
      signature: await anna.signMessage({ message: text }),
    }),
  ];
  const decided = await Promise.all(links.map((id) => stage.decided(id)));
  expect(decided.map(({ state }) => state)).toEqual(['invalid', 'invalid', 'valid']);
});
