import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { createSigner, signerReferences } from '../../../src/chain/signers/create-signer.ts';
import type { NetworkSettings } from '../../../src/platform/settings.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

const keys = [generatePrivateKey(), generatePrivateKey()];
const file = path.join(folder, 'keys');
writeFileSync(file, `${keys.join('\n')}\n`);

const sandbox = { environment: 'sandbox' } as const;
const network = (signers: string[]) => ({ chain: 'gnosis', signers }) as unknown as NetworkSettings;

describe('a raw key', () => {
  it.each([keys[0] as string, `file:${file}`])('is refused in production, where the other kinds are named', async (reference) => {
    const error = await createSigner(reference, { environment: 'production' }).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'invalid_settings', message: expect.stringContaining('signs in the sandbox only') as string });
    for (const kind of ['keystore:', 'awskms:', 'web3signer:']) expect((error as Error).message).toContain(kind);
    expect((error as Error).message).not.toContain(keys[0]);
  });

  it.each([
    ['too short', '0x1234567890'],
    ['of other letters', `0x${'g'.repeat(64)}`],
    ['zero', `0x${'0'.repeat(64)}`],
    ['no key of the curve', `0x${'f'.repeat(64)}`],
  ])('that is %s is refused and not repeated', async (_, key) => {
    const error = await createSigner(key, sandbox).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({
      code: 'invalid_settings',
      message: expect.stringMatching(new RegExp(`^A signer key must be (?!.*${key.slice(2)})`)) as string,
    });
  });
});

describe('a reference', () => {
  it.each([
    ['', 'empty'],
    ['keystore', 'a kind alone'],
    ['keystore:', 'a kind with nothing'],
    ['vault:key', 'an unknown kind'],
    ['constructor:key', 'no kind'],
    [(keys[0] as string).slice(2), 'a key without its 0x'],
  ])('"%s" is refused and not repeated: %s', async (reference) => {
    const error = await createSigner(reference, sandbox).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'invalid_settings', message: expect.stringContaining('A signer is one of') as string });
    expect((error as Error).message).not.toContain((keys[0] as string).slice(2));
  });

  it('to a file of several keys names no single signer, but several for a network', async () => {
    await expect(createSigner(`file:${file}`, sandbox)).rejects.toThrow('holds 2 keys');
    expect(signerReferences(network([`file:${file}`, 'awskms:key']))).toEqual([...keys, 'awskms:key']);
  });

  it('is what a network needs at least one of', () => {
    expect(() => signerReferences(network([]))).toThrow('set GNOSIS_SIGNERS');
    expect(() => signerReferences(network(['file:/nonexistent']))).toThrow('/nonexistent (ENOENT)');
  });
});
