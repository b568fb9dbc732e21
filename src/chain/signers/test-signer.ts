import { type Signer } from './signer.ts';

/** Makes a signer sign something that no contract accepts, to prove that it signs. Throws what the signer throws. */
export async function testSigner(signer: Signer): Promise<void> {
  await signer.signTypedData({
    domain: { name: 'Mintrail' },
    types: { Test: [{ name: 'purpose', type: 'string' }] },
    primaryType: 'Test',
    message: { purpose: 'to see whether this signer signs' },
  });
}
