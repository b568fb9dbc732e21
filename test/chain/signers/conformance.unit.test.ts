import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Hex,
  hashTypedData,
  keccak256,
  parseSignature,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializableEIP1559,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSigner } from '../../../src/chain/signers/create-signer.ts';
import { type Signer, signWithFees } from '../../../src/chain/signers/signer.ts';
import { testSigner } from '../../../src/chain/signers/test-signer.ts';
import { recoverSigner } from '../../../src/chain/signatures/ecdsa.ts';
import { type FakeKms, kmsVariables, startFakeKms } from '../../support/signers/fake-kms.ts';
import { type FakeWeb3signer, startFakeWeb3signer } from '../../support/signers/fake-web3signer.ts';
import { quickKeystore } from './vectors.ts';
import { testFolder } from '../../support/test-folder.ts';

/** That of the keystore, whose parameters are cheap: a key of our own making takes seconds to open. */
const privateKey = '0x539f9b4106fb452408e1ee43d177077f057a8fdc1e1fad92c61e68982b4e3c4b';
const account = privateKeyToAccount(privateKey);
const folder = testFolder();
let kms: FakeKms;
let web3signer: FakeWeb3signer;

beforeAll(async () => {
  kms = await startFakeKms(privateKey);
  web3signer = await startFakeWeb3signer([generatePrivateKey(), privateKey]);
  for (const [name, value] of Object.entries(kmsVariables(kms))) vi.stubEnv(name, value);
  writeFileSync(path.join(folder, 'key'), `${privateKey}\n`);
  writeFileSync(path.join(folder, 'password'), 'foobar\n');
  writeFileSync(path.join(folder, 'keystore.json'), JSON.stringify(quickKeystore));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([kms.stop(), web3signer.stop()]);
});

const kinds: [string, () => Promise<Signer>][] = [
  ['a raw key', () => createSigner(privateKey, { environment: 'sandbox' })],
  ['a raw key in a file', () => createSigner(`file:${folder}/key`, { environment: 'sandbox' })],
  [
    'a keystore',
    () => createSigner(`keystore:${folder}/keystore.json`, { environment: 'production', keystorePassword: `file:${folder}/password` }),
  ],
  ['AWS KMS', () => createSigner(`awskms:${kms.keyId}`, { environment: 'production' })],
  ['web3signer', () => createSigner(`web3signer:${web3signer.url}/${account.address}`, { environment: 'production' })],
];

const transaction: TransactionSerializableEIP1559 = {
  type: 'eip1559',
  chainId: 10_200,
  nonce: 7,
  to: '0x00000000000000000000000000000000000000aa',
  data: `0x${'ab'.repeat(20_000)}`,
  gas: 12_000_000n,
  maxFeePerGas: 3_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
};

const typedData = {
  domain: { name: 'Swap', version: '1', chainId: 10_200, verifyingContract: '0x00000000000000000000000000000000000000bb' },
  types: {
    Quote: [
      { name: 'taker', type: 'address' },
      { name: 'amounts', type: 'uint256[]' },
      { name: 'leg', type: 'Leg' },
    ],
    Leg: [{ name: 'memo', type: 'string' }],
  },
  primaryType: 'Quote',
  message: { taker: '0x00000000000000000000000000000000000000cc', amounts: [1n, 2n ** 255n], leg: { memo: 'Þökk' } },
} as const;

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

describe.each(kinds)('%s as signer', (_, create) => {
  let signer: Signer;
  beforeAll(async () => {
    signer = await create();
  });

  it('has the address of its key, in lower case', () => {
    expect(signer.address).toBe(account.address.toLowerCase());
  });

  it('signs as the key itself does', async () => {
    const raw = await account.signTransaction(transaction);
    expect(await signer.sign(transaction)).toMatchObject({ raw, hash: keccak256(raw) });
    expect(await signer.signTypedData(typedData)).toBe(await account.signTypedData(typedData));
  });

  it('answers thirty messages with 65 bytes, a low s and 27 or 28', async () => {
    for (let number = 0; number < 30; number += 1) {
      const data = {
        domain: {},
        types: { Count: [{ name: 'n', type: 'uint256' }] },
        primaryType: 'Count',
        message: { n: BigInt(number) },
      } as const;
      const signature = await signer.signTypedData(data);
      expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
      expect(BigInt(parseSignature(signature).s)).toBeLessThanOrEqual(halfOrder);
      expect(recoverSigner(hashTypedData(data), signature)).toBe(signer.address);
    }
  });

  it('signs a transaction anew with other fees and all else the same', async () => {
    const { raw } = await signer.sign(transaction);
    const fees = { maxFeePerGas: 9_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
    const again = await signWithFees(signer, raw, fees);
    expect(parseTransaction(again.raw as `0x02${string}`)).toMatchObject({ ...transaction, ...fees });
    expect(await recoverTransactionAddress({ serializedTransaction: again.raw as `0x02${string}` })).toBe(account.address);
  });

  it('refuses typed data that does not fit its types, and signs nothing', async () => {
    const wrong = { ...typedData, message: { ...typedData.message, taker: '0x12' as Hex } };
    await expect(signer.signTypedData(wrong)).rejects.toThrow('0x12');
  });

  it('proves that it signs', async () => {
    await testSigner(signer);
  });
});
