import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { verifyMessage } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { createSigner } from '../../../src/chain/signers/create-signer.ts';
import { quickKeystore } from '../../chain/signers/vectors.ts';
import { kmsVariables, startFakeKms } from '../../support/signers/fake-kms.ts';
import { startFakeWeb3signer } from '../../support/signers/fake-web3signer.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const addressOf = (key: `0x${string}`) => privateKeyToAccount(key).address.toLowerCase();
const password = write('password', 'foobar\n');
const keystore = write('quick.json', JSON.stringify(quickKeystore));

describe('mintrail signer create', () => {
  it('makes a keystore of the standard cost that only its owner reads, and that opens', async () => {
    const file = path.join(folder, 'new.json');
    const { code, stdout } = await mintrail(['signer', 'create', '--keystore', file, '--password-file', password, '--json']);
    expect(code).toBe(0);
    const { address } = JSON.parse(stdout) as { address: string };
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ crypto: { kdf: 'scrypt', kdfparams: { n: 262_144, r: 8, p: 1 } } });
    const options = { environment: 'production', keystorePassword: 'foobar' } as const;
    expect(await createSigner(`keystore:${file}`, options)).toMatchObject({ address });
  });

  it('leaves a file that is there as it is', async () => {
    const { code, stderr } = await mintrail(['signer', 'create', '--keystore', keystore, '--password-file', password]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('exists already and may contain a key') as string });
    expect(JSON.parse(readFileSync(keystore, 'utf8'))).toEqual(quickKeystore);
  });

  it('makes nothing when nobody can be asked for the password', async () => {
    const file = path.join(folder, 'none.json');
    const { code, stderr } = await mintrail(['signer', 'create', '--keystore', file]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('There is no terminal to ask') as string });
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('has no option for the password itself', async () => {
    expect((await mintrail(['signer', 'create', '--keystore', '/nonexistent', '--password', 'x'])).code).toBe(2);
  });
});

describe('mintrail signer show', () => {
  it('shows the address and the kind of a keystore', async () => {
    const { code, stdout } = await mintrail(['signer', 'show', `keystore:${keystore}`, '--password-file', password]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`0x${quickKeystore.address} +keystore`)) as string,
    });
  });

  it('shows each key of a file', async () => {
    const keys = [generatePrivateKey(), generatePrivateKey()] as const;
    const { stdout } = await mintrail(['signer', 'show', `file:${write('keys', keys.join('\n'))}`, '--json']);
    expect(JSON.parse(stdout)).toEqual(keys.map((key) => ({ address: addressOf(key), kind: 'raw key' })));
  });

  it('asks AWS KMS and web3signer for a signature, and ends with 75 while they are out of reach', async () => {
    const key = generatePrivateKey();
    const [kms, web3signer] = await Promise.all([startFakeKms(key), startFakeWeb3signer([key])]);
    const show = (reference: string) => mintrail(['signer', 'show', reference, '--json'], kmsVariables(kms));
    const [inKms, inWeb3signer] = [`awskms:${kms.keyId}`, `web3signer:${web3signer.url}/${addressOf(key)}`];
    expect(JSON.parse((await show(inKms)).stdout)).toEqual([{ address: addressOf(key), kind: 'AWS KMS' }]);
    expect(JSON.parse((await show(inWeb3signer)).stdout)).toEqual([{ address: addressOf(key), kind: 'web3signer' }]);
    expect(kms.operations).toEqual(['GetPublicKey', 'Sign']);
    kms.fault = 'throttles';
    web3signer.fault = 'signs with another key';
    expect(await show(inKms)).toMatchObject({ code: 75, stdout: '', stderr: expect.stringContaining('signer_unreachable') as string });
    expect(await show(inWeb3signer)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('signature_not_of_signer') as string,
    });
    await Promise.all([kms.stop(), web3signer.stop()]);
  });

  it('takes no private key, and does not repeat it', async () => {
    const key = generatePrivateKey();
    const { code, stdout, stderr } = await mintrail(['signer', 'show', key]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('(secret_in_arguments)') as string });
    expect(stderr).not.toContain(key.slice(2));
  });

  it('ends with 1 when the password is wrong', async () => {
    const { code, stderr } = await mintrail(['signer', 'show', `keystore:${keystore}`, '--password-file', write('wrong', 'barfoo')]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('(wrong_keystore_password)') as string });
  });
});

it('mintrail wallet signs a text with the key of a keystore', async () => {
  const options = ['--keystore', keystore, '--password-file', password];
  const { stdout: address } = await mintrail(['wallet', 'address', ...options]);
  const { stdout: signature } = await mintrail(['wallet', 'sign', 'a text', ...options]);
  const signed = { message: 'a text', signature: signature.trim() as `0x${string}` };
  expect(await verifyMessage({ address: address.trim() as `0x${string}`, ...signed })).toBe(true);
});
