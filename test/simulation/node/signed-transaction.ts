import { type Address, type Hex, keccak256, parseTransaction, serializeTransaction } from 'viem';
import { recoverSigner } from '../../../src/chain/signatures/ecdsa.ts';

/** A signed EIP-1559 transaction, as a pool keeps it. Fees in wei per gas. */
export interface SignedTransaction {
  hash: Hex;
  raw: Hex;
  from: Address;
  /** Undefined for a transaction that creates a contract. */
  to: Address | undefined;
  chainId: number;
  nonce: number;
  data: Hex;
  gas: number;
  value: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

const known = new Map<Hex, SignedTransaction>();

/** Reads a signed transaction and recovers its sender. Throws when it is not signed. */
export function readTransaction(raw: Hex): SignedTransaction {
  const before = known.get(raw);
  if (before) return before;
  const { r, s, yParity, v: _v, ...transaction } = parseTransaction(raw as `0x02${string}`);
  const from = recoverSigner(keccak256(serializeTransaction(transaction)), `${r}${s?.slice(2)}0${yParity}`);
  if (!from) throw new Error('the transaction is not signed');
  const read: SignedTransaction = {
    hash: keccak256(raw),
    raw,
    from,
    to: transaction.to?.toLowerCase() as Address | undefined,
    chainId: transaction.chainId,
    nonce: transaction.nonce ?? 0,
    data: transaction.data ?? '0x',
    gas: Number(transaction.gas ?? 0n),
    value: transaction.value ?? 0n,
    maxFeePerGas: transaction.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: transaction.maxPriorityFeePerGas ?? 0n,
  };
  // A simulation signs some hundred transactions and reads each several times.
  if (known.size > 1_000) known.clear();
  known.set(raw, read);
  return read;
}
