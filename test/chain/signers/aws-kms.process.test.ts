import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSigner } from '../../../src/chain/signers/create-signer.ts';
import type { Signer } from '../../../src/chain/signers/signer.ts';
import { testSigner } from '../../../src/chain/signers/test-signer.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { type FakeKms, kmsVariables, type KmsFault, startFakeKms } from '../../support/signers/fake-kms.ts';

const privateKey = generatePrivateKey();
const address = privateKeyToAccount(privateKey).address.toLowerCase();
let kms: FakeKms;

beforeEach(async () => {
  kms = await startFakeKms(privateKey);
  ask(kms.url);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await kms.stop();
});

function ask(url: string) {
  for (const [name, value] of Object.entries(kmsVariables({ ...kms, url }))) vi.stubEnv(name, value);
}

const create = (key = kms.keyId): Promise<Signer> => createSigner(`awskms:${key}`, { environment: 'production' });

describe('a signer in AWS KMS', () => {
  it.each([
    '1234abcd-12ab-34cd-56ef-1234567890ab',
    'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    'alias/mintrail',
  ])('is found as %s', async (key) => {
    expect(await create(key)).toMatchObject({ address, kind: 'AWS KMS' });
  });

  it('asks for the signature of the digest, once', async () => {
    await testSigner(await create());
    expect(kms.operations).toEqual(['GetPublicKey', 'Sign']);
    expect(Buffer.from(kms.messages[0] ?? '', 'base64')).toHaveLength(32);
  });

  it('makes a high s low', async () => {
    const signer = await create();
    kms.fault = 'signs high';
    await testSigner(signer);
  });

  it.each<KmsFault>(['signs with another key', 'drops the signature'])('refuses the answer when KMS %s', async (fault) => {
    const signer = await create();
    kms.fault = fault;
    await expect(testSigner(signer)).rejects.toMatchObject({ code: 'signature_not_of_signer', retryable: false });
  });

  it.each<[KmsFault, string]>([
    ['throttles', 'ThrottlingException'],
    ['fails', 'KMSInternalException'],
  ])('is out of reach while KMS %s, at the start and later', async (fault, reason) => {
    const signer = await create();
    kms.fault = fault;
    const outage = { code: 'signer_unreachable', retryable: true, message: expect.stringContaining(reason) as string };
    await expect(testSigner(signer)).rejects.toMatchObject(outage);
    await expect(create()).rejects.toMatchObject(outage);
    kms.fault = undefined;
    await testSigner(signer);
  });

  it('is out of reach while KMS hangs, after seconds', async () => {
    const signer = await create();
    kms.fault = 'hangs';
    await expect(testSigner(signer)).rejects.toMatchObject({ code: 'signer_unreachable', retryable: true });
  });

  it('is out of reach while nobody answers', async () => {
    ask(`http://127.0.0.1:${await freePort()}`);
    await expect(create()).rejects.toMatchObject({
      code: 'signer_unreachable',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  it.each([
    ['where its policy denies it', 'denies', undefined, 'AccessDenied'],
    ['when there is no such key', undefined, 'alias/none', 'alias/none'],
  ] as const)('is refused %s', async (_, fault, key, reason) => {
    kms.fault = fault;
    const refusal = { code: 'signer_refused', retryable: false, message: expect.stringContaining(reason) as string };
    await expect(create(key)).rejects.toMatchObject(refusal);
  });

  it('is refused when the key is of another kind', async () => {
    const other = await startFakeKms(privateKey, 'ECC_NIST_P256');
    ask(other.url);
    await expect(create()).rejects.toMatchObject({ code: 'signer_refused', message: expect.stringContaining('ECC_NIST_P256') as string });
    await other.stop();
  });

  it.each([
    ['AWS_REGION', 'AWS_REGION'],
    ['AWS_SECRET_ACCESS_KEY', 'credentials'],
  ])('is refused without %s, and says so', async (variable, text) => {
    vi.stubEnv(variable, undefined);
    await expect(create()).rejects.toMatchObject({
      code: 'signer_refused',
      retryable: false,
      message: expect.stringContaining(text) as string,
    });
  });

  it('tells of what AWS writes the name only: its text may hold the session token', async () => {
    kms.fault = 'quotes the request';
    const error = await create().catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({
      code: 'signer_refused',
      message: expect.stringContaining('InvalidSignatureException') as string,
    });
    expect(`${(error as Error).stack} ${String((error as Error).cause)}`).not.toContain('may-see');
  });
});
