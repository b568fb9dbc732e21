/** Gas of a transaction with neither calldata nor code. */
const transactionGas = 21_000n;

/** Gas of a byte of calldata that is not zero: 4 tokens of 4 gas (EIP-2028). */
const calldataByteGas = 16n;

/** The same byte where calldata alone decides what a transaction costs (EIP-7623): 4 tokens of 10 gas. */
const calldataFloorByteGas = 40n;

/** Selector, and where the batch begins and how long it is. */
const callBytes = 4 + 2 * 32;

/** A run's first sequence number and number of items (contracts/src/PackedBatch.sol). */
const runBytes = 10;

/** Order id, account, minor units. */
const issueItemBytes = 44;

/** The same, and the lengths of message and signature. */
const redeemItemBytes = 48;

/** What is signed by a key has 65 bytes. */
const keySignatureBytes = 65;

/** The shortest message that the token takes: `Send EUR 1 to x at 2026-11-20T17:03Z`. */
const shortestMessageBytes = 36;

/**
 * Gas of the parts of a batch besides its calldata, measured through the proxy (test/chain/gas-bounds.process.test.ts) and rounded up by 1%. Each is the
 * worst case of what others can bring about: storage that nobody has touched, accounts that never held tokens, a supply of zero.
 */
const issueGas = { batch: 40_500n, run: 900n, wordOfSequences: 22_400n, item: 27_300n };
const redeemGas = {
  batch: 17_500n,
  itemByKey: 41_700n,
  /** Without what the account's check spends. The account is under EIP-7702, and its signature has the length of a key's. */
  itemByContract: 50_800n,
  /** A leading zero of the amount takes most of all characters. */
  messageByte: 126n,
};

/** Sequence numbers that share a word of the token's bitmap. */
const sequencesPerWord = 256n;

/** Gas of a signature recovery by a contract: of the precompile, and of the call. */
const recoveryGas = 3_100n;

/** A redemption as far as its gas depends on it. */
export interface RedemptionSize {
  messageBytes: number;
  signatureBytes: number;
  /** Whether the account's own code decides about the signature (ERC-1271), and not its key. */
  signedByContract: boolean;
}

/**
 * Upper bound of the gas limit that a batch of `issue` needs, whatever happens to its accounts before it is mined. What a transaction costs on
 * another layer (Arbitrum counts it in gas) is not in it.
 * @param sequences Sequence numbers of the items.
 */
export function issueGasBound(sequences: readonly bigint[]): bigint {
  const sorted = sequences.toSorted((a, b) => (a < b ? -1 : 1));
  const runs = sorted.filter((sequence, index) => index === 0 || sorted[index - 1] !== sequence - 1n).length;
  const words = new Set(sorted.map((sequence) => sequence / sequencesPerWord)).size;
  const bytes = callBytes + runs * runBytes + sorted.length * issueItemBytes;
  const { batch, run, wordOfSequences, item } = issueGas;
  const parts = batch + run * BigInt(runs) + wordOfSequences * BigInt(words) + item * BigInt(sorted.length);
  return transactionBound(bytes, parts + memoryGas(bytes));
}

/**
 * Upper bound of the gas limit that a batch of `redeem` needs, whatever its contract accounts do and whatever happens before it is mined. With this
 * limit the token never reverts for want of gas (`InsufficientGasForSignature`). What a transaction costs on another layer (Arbitrum counts it
 * in gas) is not in it.
 * @param signatureGas What the token lets the check of a contract account spend (`signatureGas()` of the token).
 */
export function redeemGasBound(items: readonly RedemptionSize[], signatureGas: bigint): bigint {
  const bytes = callBytes + sum(items.map((item) => redeemItemBytes + item.messageBytes + item.signatureBytes));
  const parts = items.map((item) => redemptionGas(item, signatureGas));
  const memory = sum(items.map(redemptionMemoryBytes));
  return transactionBound(bytes, redeemGas.batch + parts.reduce((total, part) => total + part, 0n) + memoryGas(bytes) + memoryGas(memory));
}

/**
 * Most signature recoveries in a batch of `redeem`, whatever its contract accounts do. Some networks bound those of a block (`blockRecoveries`).
 * @param signatureGas What the token lets the check of a contract account spend (`signatureGas()` of the token).
 */
export function recoveriesBound(items: readonly RedemptionSize[], signatureGas: bigint): number {
  const byContract = Number(signatureGas / recoveryGas);
  return sum(items.map((item) => (item.signatureBytes === keySignatureBytes ? 1 : 0) + (item.signedByContract ? byContract : 0)));
}

function redemptionGas({ messageBytes, signatureBytes, signedByContract }: RedemptionSize, signatureGas: bigint): bigint {
  const message = redeemGas.messageByte * BigInt(Math.max(0, messageBytes - shortestMessageBytes));
  if (!signedByContract) return redeemGas.itemByKey + message;
  // The signature is copied twice and hashed: 12 gas a word.
  const signature = BigInt(Math.ceil(Math.max(0, signatureBytes - keySignatureBytes) / 32)) * 12n;
  return redeemGas.itemByContract + message + signature + passedOn(signatureGas);
}

/** What the token allocates for an item and does not free: the message, the signature, and for a contract account the question with the signature. */
function redemptionMemoryBytes({ messageBytes, signatureBytes, signedByContract }: RedemptionSize): number {
  return 128 + messageBytes + signatureBytes * (signedByContract ? 2 : 1) + (signedByContract ? 384 : 0);
}

/**
 * Gas that the proxy must have left so that the token has `gas`: a call passes on 63 of 64 parts (EIP-150). Before its own call the token demands a
 * 63rd of `signatureGas` and 10,000 beyond it, at most 26,000 together. That needs no gas of its own: the bound of an item contains about 30,000 for
 * what is done after the call.
 */
function passedOn(gas: bigint): bigint {
  return (gas * 64n) / 63n + 1n;
}

/** Gas of memory that a call allocates, with one copy into it: words, and the square of their number (Yellow Paper, appendix H). */
function memoryGas(bytes: number): bigint {
  const words = BigInt(Math.ceil(bytes / 32));
  return passedOn(6n * words + (words * words) / 512n);
}

function transactionBound(bytes: number, executionGas: bigint): bigint {
  const size = BigInt(bytes) + 31n;
  const bound = transactionGas + calldataByteGas * size + executionGas;
  const floor = transactionGas + calldataFloorByteGas * size;
  return bound > floor ? bound : floor;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
