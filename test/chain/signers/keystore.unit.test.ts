import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { createSigner } from '../../../src/chain/signers/create-signer.ts';
import { decryptKeystore, encryptKeystore } from '../../../src/chain/signers/keystore-v3.ts';
import { keystoreVectors, quickCost, quickKeystore } from './vectors.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

function write(name: string, content: unknown): string {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const open = (content: unknown, keystorePassword?: string) =>
  createSigner(`keystore:${write('keystore.json', content)}`, { environment: 'production', keystorePassword });

/** The quick keystore with something else inside its crypto part. */
const altered = (change: object, kdfparams: object = {}) => ({
  ...quickKeystore,
  crypto: { ...quickKeystore.crypto, ...change, kdfparams: { ...quickKeystore.crypto.kdfparams, ...kdfparams } },
});

describe('a keystore of version 3', () => {
  it.each(keystoreVectors)('opens as the definition says: $name', async ({ keystore, password, privateKey }) => {
    const { key } = await decryptKeystore(JSON.stringify(keystore), password);
    expect(Buffer.from(key).toString('hex')).toBe(privateKey);
  });

  it('that is made here opens again, is never the same twice, and does not show its key', async () => {
    const privateKey = generatePrivateKey();
    const { address } = privateKeyToAccount(privateKey);
    const [first, second] = await Promise.all([1, 2].map(() => encryptKeystore(hexToBytes(privateKey), address, 'þjóð 🔑', quickCost)));
    const { key, address: named } = await decryptKeystore(first as string, 'þjóð 🔑');
    expect({ key: Buffer.from(key).toString('hex'), named }).toEqual({ key: privateKey.slice(2), named: address.slice(2).toLowerCase() });
    expect(first).not.toContain(privateKey.slice(2));
    const [one, other] = [first, second].map((text) => (JSON.parse(text as string) as typeof quickKeystore).crypto);
    expect(one?.kdfparams.salt).not.toBe(other?.kdfparams.salt);
    expect(one?.cipherparams.iv).not.toBe(other?.cipherparams.iv);
  });
});

describe('a keystore signer', () => {
  it('takes its password as it is, or from a file without its last line break', async () => {
    const signer = { address: `0x${quickKeystore.address}`, kind: 'keystore' };
    expect(await open(quickKeystore, 'foobar')).toMatchObject(signer);
    expect(await open(quickKeystore, `file:${write('password', 'foobar\r\n')}`)).toMatchObject(signer);
    await expect(open(quickKeystore, `file:${write('password', 'foobar\n\n')}`)).rejects.toMatchObject({ code: 'wrong_keystore_password' });
  });

  it.each([
    ['no password', undefined, 'invalid_settings', 'KEYSTORE_PASSWORD'],
    ['an empty password', '', 'invalid_settings', 'KEYSTORE_PASSWORD'],
    ['an empty password file', `file:${write('empty', '\n')}`, 'invalid_settings', 'is empty'],
    ['a password file that is not there', 'file:/nonexistent', 'invalid_settings', 'ENOENT'],
    ['a wrong password', 'hunter2-hunter2', 'wrong_keystore_password', 'keystore.json'],
  ])('is refused with %s', async (_, password, code, text) => {
    await expect(open(quickKeystore, password)).rejects.toMatchObject({
      code,
      retryable: false,
      message: expect.stringContaining(text) as string,
    });
    await expect(open(quickKeystore, password)).rejects.not.toThrow('hunter2');
  });

  it('is refused when its file is not there', async () => {
    await expect(createSigner('keystore:/nonexistent', { environment: 'production', keystorePassword: 'x' })).rejects.toMatchObject({
      code: 'invalid_settings',
      message: expect.stringContaining('/nonexistent') as string,
    });
  });

  it.each([
    ['no JSON', generatePrivateKey(), 'file'],
    ['another version', { ...quickKeystore, version: 1 }, 'version'],
    ['another cipher', altered({ cipher: 'aes-128-cbc' }), 'crypto.cipher'],
    ['another key derivation', altered({ kdf: 'argon2id' }), 'crypto.kdf'],
    ['a short IV', altered({ cipherparams: { iv: '00' } }), 'crypto.cipherparams.iv'],
    ['a key that is too long', altered({ ciphertext: 'ab'.repeat(33) }), 'crypto.ciphertext'],
    ['a cost that is no power of 2', altered({}, { n: 12 }), 'crypto.kdfparams.n'],
    ['a cost that would take all memory', altered({}, { n: 2 ** 30 }), 'crypto.kdfparams'],
    ['a derived key that is too short', altered({}, { dklen: 16 }), 'crypto.kdfparams.dklen'],
  ])('is refused with %s, by name', async (_, content, field) => {
    const error = await open(content, 'foobar').catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'invalid_settings', message: expect.stringContaining(`${field}: `) as string });
    expect((error as Error).message).not.toMatch(/0x[0-9a-f]{64}/);
  });

  it('is refused with a MAC that does not fit, whatever was altered', async () => {
    const iv = '0'.repeat(32);
    await expect(open(altered({ mac: '0'.repeat(64) }), 'foobar')).rejects.toMatchObject({ code: 'wrong_keystore_password' });
    await expect(open(altered({ ciphertext: '0'.repeat(64) }), 'foobar')).rejects.toMatchObject({ code: 'wrong_keystore_password' });
    // The MAC does not cover the IV; the address does.
    await expect(open(altered({ cipherparams: { iv } }), 'foobar')).rejects.toMatchObject({
      code: 'invalid_settings',
      message: expect.stringContaining(quickKeystore.address) as string,
    });
  });
});
