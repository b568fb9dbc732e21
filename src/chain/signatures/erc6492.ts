import { decodeAbiParameters, type Hex, slice } from 'viem';

/** The last 32 bytes of a wrapped signature (ERC-6492). */
const suffix = '6492'.repeat(16);

/** A signature of an account that may not be deployed, with the call that deploys it (ERC-6492). */
export interface WrappedSignature {
  factory: Hex;
  /** Calldata for the factory. */
  deployment: Hex;
  /** The account's own signature. */
  signature: Hex;
}

/** Whether a signature is wrapped as in ERC-6492. Takes lower case. */
export function isErc6492(signature: string): boolean {
  return signature.endsWith(suffix);
}

/** The parts of an ERC-6492 signature; undefined for any other, and for a malformed one. */
export function unwrapErc6492(wrapped: Hex): WrappedSignature | undefined {
  if (!isErc6492(wrapped)) return undefined;
  try {
    const parameters = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const;
    const [factory, deployment, signature] = decodeAbiParameters(parameters, slice(wrapped, 0, -32));
    return { factory, deployment, signature };
  } catch {
    return undefined;
  }
}
