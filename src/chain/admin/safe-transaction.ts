import { createRequire } from 'node:module';
import type * as ProtocolKit from '@safe-global/protocol-kit';
import { type Address, encodeFunctionData, type Hex, parseAbi, type TypedDataDefinition, zeroAddress } from 'viem';
import { StopError } from '../../platform/errors.ts';
import type { Signer } from '../signers/signer.ts';

/** Versions of Safe whose transactions are signed for one network, and which keep the nonce of a transaction that fails. */
export const safeVersions = ['1.3.0', '1.4.1', '1.5.0'] as const;
/** A version of Safe that can act for a token. */
export type SafeVersion = (typeof safeVersions)[number];

/** A call that a Safe makes. It pays nobody back for gas, and fails as a whole when the call fails. */
export interface SafeTransaction {
  /** EIP-155. */
  chainId: number;
  safe: Address;
  version: SafeVersion;
  to: Address;
  data: Hex;
  nonce: number;
}

/** A transaction as Safe's own programs write it. */
export type SafeTransactionData = ProtocolKit.EthSafeTransaction['data'];

/** The signature of an owner: 65 bytes over the transaction's hash. */
export interface OwnerSignature {
  signer: Address;
  data: Hex;
}

const execAbi = parseAbi([
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
]);

/** The version of a Safe. Throws `not_possible`. */
export function requireSupportedVersion(safe: Address, version: string): SafeVersion {
  const supported = safeVersions.find((known) => known === version);
  if (supported) return supported;
  throw new StopError({
    code: 'not_possible',
    message: `The Safe ${safe} is of version ${version}; supported are ${safeVersions.join(', ')}: upgrade it to one of these`,
  });
}

const require = createRequire(import.meta.url);

/**
 * Loaded when it is first needed: it brings 800 modules, a second viem among them, and most processes never sign for a Safe. Only what needs no connection is used of it: its
 * class opens connections of its own, and this program reads and sends through the network's endpoints.
 */
function protocolKit(): typeof ProtocolKit {
  return require('@safe-global/protocol-kit') as typeof ProtocolKit;
}

/** The transaction with all the fields that its owners sign. */
export function safeTransactionData({ to, data, nonce }: SafeTransaction): SafeTransactionData {
  const gas = { safeTxGas: '0', baseGas: '0', gasPrice: '0', gasToken: zeroAddress, refundReceiver: zeroAddress };
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- 0 is a call; protocol-kit does not export the enumeration
  return { to, value: '0', data, operation: 0, ...gas, nonce };
}

/** The hash that identifies the transaction and that its owners sign (EIP-712). */
export function hashSafeTransaction(transaction: SafeTransaction): Hex {
  const { safe, version, chainId } = transaction;
  return protocolKit().calculateSafeTransactionHash(safe, safeTransactionData(transaction), version, BigInt(chainId)) as Hex;
}

/** What a wallet shows and signs (EIP-712), as `eth_signTypedData_v4` takes it: JSON without bigints. */
export function safeTypedData(transaction: SafeTransaction) {
  const { types, primaryType, domain, message } = typedDataOf(transaction);
  return { types, primaryType, domain: { ...domain, chainId: transaction.chainId }, message };
}

/** Signs the transaction as an owner. Throws what the signer throws. */
export async function signSafeTransaction(transaction: SafeTransaction, signer: Signer): Promise<OwnerSignature> {
  return { signer: signer.address, data: await signer.signTypedData(typedDataOf(transaction) as unknown as TypedDataDefinition) };
}

/** Calldata of the Safe that carries the transaction out. */
export function encodeExecution(transaction: SafeTransaction, signatures: readonly OwnerSignature[]): Hex {
  const { EthSafeSignature, EthSafeTransaction } = protocolKit();
  const signed = new EthSafeTransaction(safeTransactionData(transaction));
  for (const { signer, data } of signatures) signed.addSignature(new EthSafeSignature(signer, data));
  return encodeFunctionData({
    abi: execAbi,
    functionName: 'execTransaction',
    args: [transaction.to, 0n, transaction.data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, signed.encodedSignatures() as Hex],
  });
}

function typedDataOf(transaction: SafeTransaction) {
  const { safe: safeAddress, version: safeVersion, chainId } = transaction;
  return protocolKit().generateTypedData({ safeAddress, safeVersion, chainId: BigInt(chainId), data: safeTransactionData(transaction) });
}
