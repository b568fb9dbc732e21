import { getAddress, keccak256, stringToHex } from 'viem';
import type { SafeTransaction } from './safe-transaction.ts';

/** What Safe's own application shows of a file: a title, and what the file does. */
export interface BatchDescription {
  name: string;
  description: string;
  createdAt: Date;
}

/**
 * A transaction as a file of the Transaction Builder in Safe's own application
 * (https://github.com/safe-global/safe-react-apps, apps/tx-builder/src/typings/models.ts). The application gives it a nonce when it is created there.
 */
export function writeSafeBatch({ chainId, safe, to, data }: SafeTransaction, { name, description, createdAt }: BatchDescription): string {
  const batch = {
    version: '1.0',
    chainId: String(chainId),
    createdAt: createdAt.getTime(),
    meta: { name, description, txBuilderVersion: '1.18.0', createdFromSafeAddress: getAddress(safe), createdFromOwnerAddress: '' },
    // With `data`, the application takes the bytes as they are.
    transactions: [{ to: getAddress(to), value: '0', data, contractMethod: null, contractInputsValues: null }],
  };
  const meta = { ...batch.meta, checksum: batchChecksum(batch) };
  return `${JSON.stringify({ ...batch, meta }, null, 2)}\n`;
}

/** The checksum of such a file without its checksum, by which the application warns of one that was altered (apps/tx-builder/src/lib/checksum.ts). */
export function batchChecksum(batch: unknown): `0x${string}` {
  return keccak256(stringToHex(serialize(batch)));
}

function serialize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialize).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).toSorted();
  const values = keys.map((key) => `${serialize((value as Record<string, unknown>)[key])},`);
  return `{${JSON.stringify(keys)}${values.join('')}}`;
}
