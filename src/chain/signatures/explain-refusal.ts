import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  hashMessage,
  type Hex,
  hashTypedData,
  numberToHex,
  parseAbi,
  size,
  slice,
  zeroHash,
} from 'viem';
import { lowerAddress, type LowerAddress } from '../../platform/addresses.ts';
import { type Chain, chainIds } from '../../platform/chains.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { recoverSigner } from './ecdsa.ts';

/** A signature that the contract at an address has refused. */
export interface RefusedSignature {
  address: LowerAddress;
  chain: Chain;
  /** EIP-191 hash of the message. */
  digest: Hex;
  signature: Hex;
}

/** Storage slot in which a Safe keeps its fallback handler: keccak256("fallback_manager.handler.address"). */
const handlerSlot: Hex = '0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5';

const ofThreshold = { abi: parseAbi(['function getThreshold() view returns (uint256)']), functionName: 'getThreshold' } as const;
const ofOwners = { abi: parseAbi(['function getOwners() view returns (address[])']), functionName: 'getOwners' } as const;

/** Gas of a call: enough for dozens of owners, and too little for an answer of megabytes, which any contract may try to give. */
const callGas = 300_000n;

/**
 * Why a Safe refused a signature, as a clause for its owners; undefined for another account, and when nothing is known. It decides nothing: the
 * account's own answer does. Never throws.
 */
export async function explainRefusal(rpc: Rpc, refused: RefusedSignature, blockNumber: bigint): Promise<string | undefined> {
  const { address, signature } = refused;
  try {
    const safe = await readOwners(rpc, address, blockNumber);
    if (safe === undefined) return undefined;
    const handler = await rpc.getStorageAt({ address, slot: handlerSlot, blockNumber });
    if (handler === zeroHash)
      return 'the Safe has no fallback handler, and without one it confirms no signature: its owners set the CompatibilityFallbackHandler';
    return ofOtherMessage(refused, safe.owners) ?? ofTooFew(signature, safe.threshold);
  } catch {
    return undefined;
  }
}

async function readOwners(rpc: Rpc, to: Address, blockNumber: bigint): Promise<{ threshold: number; owners: LowerAddress[] } | undefined> {
  const threshold = decodeFunctionResult({ ...ofThreshold, data: await call(rpc, to, encodeFunctionData(ofThreshold), blockNumber) });
  const owners = decodeFunctionResult({ ...ofOwners, data: await call(rpc, to, encodeFunctionData(ofOwners), blockNumber) });
  const isSafe = threshold > 0n && threshold <= BigInt(owners.length);
  return isSafe ? { threshold: Number(threshold), owners: owners.map(lowerAddress) } : undefined;
}

/** By hand: the client's `call` would fetch the URL with which a contract may answer (EIP-3668). */
async function call(rpc: Rpc, to: Address, data: Hex, blockNumber: bigint): Promise<Hex> {
  return rpc.request({ method: 'eth_call', params: [{ to, data, gas: numberToHex(callGas) }, numberToHex(blockNumber)] });
}

/** The first owner has signed for another chain, or not for the Safe at all. */
function ofOtherMessage({ address, chain, digest, signature }: RefusedSignature, owners: readonly LowerAddress[]): string | undefined {
  if (size(signature) < 65) return undefined;
  const first = slice(signature, 0, 65);
  const isOwner = (signer: LowerAddress | undefined) => signer !== undefined && owners.includes(signer);
  if (isOwner(recoverSigner(digest, first)))
    return 'an owner has signed the text itself: for a Safe its owners sign the SafeMessage (EIP-712)';
  const other = Object.entries(chainIds).find(([name, chainId]) => name !== chain && isOwner(safeSigner(address, chainId, digest, first)));
  return other && `the signature is for the Safe of the same address on ${other[0]}: it is good on that chain alone`;
}

/** The key that signed a SafeMessage. Signatures by `eth_sign` have 4 added to their last byte. */
function safeSigner(verifyingContract: Address, chainId: number, digest: Hex, signature: Hex): LowerAddress | undefined {
  const types = { SafeMessage: [{ name: 'message', type: 'bytes' }] } as const;
  const hash = hashTypedData({ domain: { chainId, verifyingContract }, types, primaryType: 'SafeMessage', message: { message: digest } });
  const last = Number(slice(signature, 64));
  return last > 30
    ? recoverSigner(hashMessage({ raw: hash }), `${slice(signature, 0, 64)}${(last - 4).toString(16)}`)
    : recoverSigner(hash, signature);
}

function ofTooFew(signature: Hex, threshold: number): string | undefined {
  const signatures = size(signature) / 65;
  if (!Number.isInteger(signatures) || signatures >= threshold) return undefined;
  return `the Safe needs the signatures of ${threshold} owners, and this has ${signatures}`;
}
