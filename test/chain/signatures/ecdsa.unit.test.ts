import { assert, asyncProperty } from 'fast-check';
import { hashMessage, hexToBytes, parseSignature, serializeCompactSignature, serializeSignature, signatureToCompactSignature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { expandCompact, isSignedByKey, recoverMessageSigner, recoverSigner, signDigest } from '../../../src/chain/signatures/ecdsa.ts';
import { anyText } from '../../support/any-text.ts';

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('recovery of a signer', () => {
  it('agrees with viem on any message', async () => {
    await assert(
      asyncProperty(anyText(), async (message) => {
        const account = privateKeyToAccount(generatePrivateKey());
        expect(recoverMessageSigner(message, await account.signMessage({ message }))).toBe(account.address.toLowerCase());
      }),
      { numRuns: 30 },
    );
  });

  it('takes both spellings of the recovery id, and a high s for the same account', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const { r, s, yParity } = parseSignature(await account.signMessage({ message: 'x' }));
    const bare = `${r}${s.slice(2)}0${yParity}`;
    const high = serializeSignature({ r, s: `0x${(curveOrder - BigInt(s)).toString(16).padStart(64, '0')}`, yParity: 1 - yParity });
    expect(recoverMessageSigner('x', bare)).toBe(account.address.toLowerCase());
    expect(recoverMessageSigner('x', high)).toBe(account.address.toLowerCase());
  });

  it('takes the 64 bytes of EIP-2098 for the 65 that they stand for', async () => {
    await assert(
      asyncProperty(anyText(), async (message) => {
        const account = privateKeyToAccount(generatePrivateKey());
        const full = await account.signMessage({ message });
        const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(full)));
        expect(expandCompact(compact)).toBe(full);
        expect(isSignedByKey(lowerAddress(account.address), hashMessage(message), compact)).toBe(true);
        expect(expandCompact(full)).toBe(full);
      }),
      { numRuns: 10 },
    );
  });

  it('answers nothing for what is no signature', () => {
    for (const text of [
      '',
      '0x',
      `0x${'00'.repeat(65)}`,
      `0x${'11'.repeat(64)}1d`,
      `0x${'11'.repeat(64)}`,
      `0x${'zz'.repeat(65)}`,
      '0x'.padEnd(134, '1'),
    ]) {
      expect(recoverMessageSigner('x', text)).toBeUndefined();
    }
  });

  it('recovers what signDigest signed', () => {
    const key = generatePrivateKey();
    const digest = hashMessage('y');
    const { r, s, yParity } = signDigest(digest, hexToBytes(key));
    expect(recoverSigner(digest, serializeSignature({ r, s, yParity }))).toBe(privateKeyToAccount(key).address.toLowerCase());
  });
});
