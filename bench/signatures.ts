import { hashMessage } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { recoverMessageSigner } from '../src/chain/signatures/ecdsa.ts';
import { isNativeCurve } from '../src/chain/secp256k1.ts';
import { print } from './report.ts';

/** Different signatures, so that no cache helps. */
const samples = 500;
const roundMs = 1_000;
const rounds = 5;

/** Measures how many signatures of key holders one thread verifies: the hash of the message, the recovery and the address. */
export async function benchSignatures(): Promise<void> {
  const signed = await Promise.all(
    Array.from({ length: samples }, async (_, index) => {
      const account = privateKeyToAccount(generatePrivateKey());
      const message = `Send EUR ${index}.00 to IS140159260076545510730339 at 2026-11-20T12:00:00Z`;
      return { message, address: account.address.toLowerCase(), signature: await account.signMessage({ message }) };
    }),
  );
  for (const { message, address, signature } of signed)
    if (recoverMessageSigner(message, signature) !== address) throw new Error(`${hashMessage(message)} is recovered wrongly`);
  const rates = Array.from({ length: rounds }, () => rateOf(signed)).sort((a, b) => a - b);
  print('signatures of key holders, one thread', [
    ['recoveries', `${Math.round(rates[Math.floor(rounds / 2)] ?? 0).toLocaleString('en')} a second`],
    ['curve', isNativeCurve ? 'libsecp256k1' : '@noble/curves: the native library does not load here'],
  ]);
}

function rateOf(signed: { message: string; signature: string }[]): number {
  const startedAt = performance.now();
  let done = 0;
  while (performance.now() - startedAt < roundMs) {
    for (const { message, signature } of signed) recoverMessageSigner(message, signature);
    done += signed.length;
  }
  return (done * 1_000) / (performance.now() - startedAt);
}
