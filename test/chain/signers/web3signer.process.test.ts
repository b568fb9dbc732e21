import { keccak256, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSigner } from '../../../src/chain/signers/create-signer.ts';
import { testSigner } from '../../../src/chain/signers/test-signer.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { type FakeWeb3signer, startFakeWeb3signer, type Web3signerFault } from '../../support/signers/fake-web3signer.ts';

const privateKey = generatePrivateKey();
const address = privateKeyToAccount(privateKey).address.toLowerCase();
let remote: FakeWeb3signer;

beforeEach(async () => {
  remote = await startFakeWeb3signer([generatePrivateKey(), privateKey]);
});

afterEach(() => remote.stop());

const create = (location = `${remote.url}/${address}`) => createSigner(`web3signer:${location}`, { environment: 'production' });

describe('a signer in web3signer', () => {
  it('asks for its public key once, and then for signatures by it', async () => {
    const signer = await create();
    await testSigner(signer);
    await testSigner(signer);
    const sign = 'POST /api/v1/eth1/sign/';
    expect(remote.requests).toEqual(['GET /api/v1/eth1/publicKeys', sign, sign]);
  });

  it('may lie behind a path', async () => {
    await expect(create(`${remote.url}/behind/${address}`)).rejects.toMatchObject({ code: 'signer_refused' });
    expect(remote.requests).toEqual(['GET /behind/api/v1/eth1/publicKeys']);
  });

  it('makes a high s low', async () => {
    const signer = await create();
    remote.fault = 'signs high';
    await testSigner(signer);
  });

  it.each<Web3signerFault>(['signs with another key', 'signs without hashing'])('refuses the answer when it %s', async (fault) => {
    const signer = await create();
    remote.fault = fault;
    await expect(testSigner(signer)).rejects.toMatchObject({ code: 'signature_not_of_signer', retryable: false });
  });

  it.each<Web3signerFault>(['fails', 'is busy', 'drops the connection'])(
    'is out of reach while it %s, at the start and later',
    async (fault) => {
      const signer = await create();
      remote.fault = fault;
      await expect(testSigner(signer)).rejects.toMatchObject({ code: 'signer_unreachable', retryable: true });
      await expect(create()).rejects.toMatchObject({ code: 'signer_unreachable', retryable: true });
      remote.fault = undefined;
      await testSigner(signer);
    },
  );

  it('is out of reach while it hangs, after seconds', async () => {
    const signer = await create();
    remote.fault = 'hangs';
    await expect(testSigner(signer)).rejects.toMatchObject({ code: 'signer_unreachable', retryable: true });
  });

  it('is out of reach while nobody answers', async () => {
    const error = { code: 'signer_unreachable', message: expect.stringContaining('ECONNREFUSED') as string };
    await expect(create(`http://127.0.0.1:${await freePort()}/${address}`)).rejects.toMatchObject(error);
  });

  it.each<[Web3signerFault, string]>([
    ['has lost the key', 'HTTP 404'],
    ['answers nonsense', 'not a signature'],
    ['redirects', 'HTTP 302'],
  ])('is refused when it %s', async (fault, reason) => {
    const signer = await create();
    remote.fault = fault;
    await expect(testSigner(signer)).rejects.toMatchObject({
      code: 'signer_refused',
      retryable: false,
      message: expect.stringContaining(reason) as string,
    });
  });

  it('is refused when it does not keep the key', async () => {
    const other = privateKeyToAccount(generatePrivateKey()).address.toLowerCase();
    await expect(create(`${remote.url}/${other}`)).rejects.toMatchObject({
      code: 'invalid_settings',
      retryable: false,
      message: expect.stringContaining(other) as string,
    });
  });

  it.each(['127.0.0.1:9000', 'ftp://127.0.0.1', 'https://user:hidden@127.0.0.1:9000', 'https://127.0.0.1/hidden/0x12'])(
    'is refused at %s, which is not repeated',
    async (location) => {
      const error = await create(`${location}/${location.endsWith('0x12') ? '' : address}`).catch((thrown: unknown) => thrown as Error);
      expect(error).toMatchObject({ code: 'invalid_settings', message: expect.not.stringContaining('hidden') as string });
    },
  );

  it('gives the fake the vector of the real one: it signs the hash of what it is sent', async () => {
    const key = '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63';
    const publicKey =
      '0x09b02f8a5fddd222ade4ea4528faefc399623af3f736be3c44f03e2df22fb792f3931a4d9573d333ca74343305762a753388c3422a86d98b713fc91c1ea04842';
    const fake = await startFakeWeb3signer([key]);
    expect(await (await fetch(`${fake.url}/api/v1/eth1/publicKeys`)).json()).toEqual([publicKey]);
    const body = JSON.stringify({ data: `0x${Buffer.from('Hello, world!').toString('hex')}` });
    const answer = await fetch(`${fake.url}/api/v1/eth1/sign/${publicKey}`, { method: 'POST', body });
    expect(await answer.text()).toBe(await sign({ hash: keccak256(toHex('Hello, world!')), privateKey: key, to: 'hex' }));
    await fake.stop();
  });
});
