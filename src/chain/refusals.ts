import { BaseError, parseEther } from 'viem';
import { messageOf } from '../platform/errors.ts';
import { withoutUrlSecrets } from '../platform/url-secrets.ts';

/**
 * Why a node does not take a signed transaction. `known`: it has it. `nonce_used`: a block has a transaction with its nonce. `underpriced`: the
 * node asks for higher fees. `replacement_underpriced`: it has another transaction with the nonce, and this one does not offer 10% more. `capped`: the node's own limit on what a transaction may cost. `unfunded`: its signer cannot pay for all that it has
 * in the pool. `nonce_gap`: the node misses transactions before it. `invalid`: it can never be mined as it is. `unclear`: an outage, a full
 * pool, or a text that is in no list, which proves nothing.
 */
export type RefusalKind =
  | 'known'
  | 'nonce_used'
  | 'underpriced'
  | 'replacement_underpriced'
  | 'capped'
  | 'unfunded'
  | 'nonce_gap'
  | 'invalid'
  | 'unclear';

/** How a node refused a transaction. */
export interface Refusal {
  kind: RefusalKind;
  /** The node's text, without the address of an endpoint. */
  text: string;
  /** For `capped`: most wei that the node lets a transaction cost. */
  capWei?: bigint;
}

/** A text by which a node refuses a transaction, and whose it is. */
interface KnownText {
  kind: Exclude<RefusalKind, 'unclear'>;
  text: RegExp;
  /** The software, with the file that has the text. Networks: Ethereum any of them; Gnosis Nethermind and Erigon; Polygon Bor (go-ethereum) and Erigon. */
  source: string;
}

const geth = 'go-ethereum, and Bor, Nitro, op-geth and Scroll that follow it';
const nethermind = 'Nethermind: AcceptTxResult.cs, TxPoolErrorMessages.cs';
const erigon = 'Erigon: txnprovider/txpool/txpoolcfg/txpoolcfg.go';
const reth = 'Reth and Base: crates/transaction-pool/src/error.rs';
const besu = 'Besu: RpcErrorType.java';
const linea = 'Linea: besu-plugins/linea-sequencer/…/txpoolvalidation/validators';
const anvil = 'Anvil: crates/anvil/src/eth/error.rs';

/**
 * The texts, in the order in which they are compared: the first that matches decides. Nodes add values before and after them. The codes do not
 * help: most texts come with -32000.
 */
export const knownTexts: readonly KnownText[] = [
  { kind: 'known', text: /already known|known transaction/i, source: `${geth}: core/txpool/errors.go; ${nethermind}; ${erigon}; ${besu}` },
  { kind: 'known', text: /already imported/i, source: `${reth}; ${anvil}` },
  { kind: 'known', text: /\bAlreadyKnown\b|\bOwnNonceAlreadyUsed\b/, source: nethermind },
  { kind: 'known', text: /existing txn? with same hash/i, source: erigon },
  {
    kind: 'nonce_used',
    text: /nonce (is )?too low|\bOldNonce\b/i,
    source: `${geth}: core/error.go; ${nethermind}; ${erigon}; ${reth}; ${besu}; ${anvil}`,
  },
  { kind: 'nonce_used', text: /^mined$/i, source: erigon },
  {
    kind: 'replacement_underpriced',
    text: /replacement transaction underpriced|\bReplacementNotAllowed\b/i,
    source: `${geth}: core/txpool/errors.go; ${nethermind}; ${erigon}; ${besu}`,
  },
  { kind: 'replacement_underpriced', text: /insufficient gas price to replace existing transaction/i, source: `${reth}; ${anvil}` },
  { kind: 'replacement_underpriced', text: /could not replace existing tx/i, source: erigon },
  {
    kind: 'underpriced',
    text: /transaction underpriced|^underpriced$|gas tip cap .*minimum needed/i,
    source: `${geth}: core/txpool/errors.go; ${nethermind}; ${erigon}; ${reth}`,
  },
  { kind: 'underpriced', text: /\bFeeTooLow(ToCompete)?\b|^fee too low/i, source: `${nethermind}; ${erigon}` },
  {
    kind: 'underpriced',
    text: /max fee per gas less than block base fee|feecap \d+ below chain minimum/i,
    source: `${geth}: core/error.go; ${reth}; ${anvil}`,
  },
  { kind: 'underpriced', text: /gas price below (configured minimum gas price|current base fee)/i, source: besu },
  { kind: 'underpriced', text: /gas price too low/i, source: `${linea}/ProfitabilityValidator.java; Arbitrum` },
  { kind: 'capped', text: /exceeds the configured cap/i, source: `${geth}: internal/ethapi/api.go; ${erigon}; ${reth}` },
  { kind: 'capped', text: /transaction fee cap exceeded/i, source: besu },
  {
    kind: 'unfunded',
    text: /insufficient funds|\bInsufficientFunds\b/i,
    source: `${geth}: core/error.go, for Scroll also "for l1fee"; ${nethermind}; ${erigon}; ${reth}; ${anvil}`,
  },
  {
    kind: 'unfunded',
    text: /transaction would cause overdraft|transaction overdraws from account/i,
    source: `${geth}: core/txpool; ${reth}`,
  },
  { kind: 'unfunded', text: /upfront cost exceeds account balance/i, source: besu },
  { kind: 'unfunded', text: /not enough funds for gas/i, source: 'Arbitrum' },
  {
    kind: 'nonce_gap',
    text: /nonce (is )?too high|\bNonceGap\b|nonce too far in future|nonce is too distant|lower nonce invalid transaction|invalid transaction with a lower nonce/i,
    source: `${geth}: core/error.go; ${nethermind}; ${besu}; ${anvil}`,
  },
  { kind: 'nonce_gap', text: /future transaction tries to replace pending|gapped-nonce tx/i, source: `${geth}: core/txpool/errors.go` },
  {
    kind: 'invalid',
    text: /exceeds block gas limit|exceeds block's gas limit/i,
    source: `${geth}: core/txpool/errors.go; ${reth}; ${besu}`,
  },
  {
    kind: 'invalid',
    text: /gas limit (is )?too high|gas limit is greater than|gas limit reached|\bGasLimitExceeded\b|TxGasLimitCapExceeded/i,
    source: `${geth}: core/error.go (EIP-7825); ${nethermind}; ${erigon}; ${anvil}`,
  },
  { kind: 'invalid', text: /gas limit of transaction is greater than the allowed max/i, source: `${linea}/GasLimitValidator.java` },
  {
    kind: 'invalid',
    text: /oversized data|\bRLPTooLong\b|input data too large|transaction too large|\bMaxTxSizeExceeded\b/i,
    source: `${geth}: core/txpool/errors.go; ${erigon}; ${reth}; ${nethermind}`,
  },
  { kind: 'invalid', text: /calldata of transaction is greater than the allowed max/i, source: `${linea}/CalldataValidator.java` },
  {
    kind: 'invalid',
    text: /intrinsic gas too (low|high)|intrinsic gas exceeds gas limit|^IntrinsicGas$|insufficient gas for floor data gas/i,
    source: `${geth}: core/error.go; ${erigon}; ${reth}; ${besu}; ${anvil}`,
  },
  {
    kind: 'invalid',
    text: /is above the limit \d+|over line count limit|does not exist in the limits file/i,
    source: `${linea}/SimulationValidator.java, TraceLineLimitValidator.java`,
  },
  {
    kind: 'invalid',
    text: /is blocked as appearing on the SDN|forbidden sender address|not authorized to send transactions|sender is banned/i,
    source: `${linea}/DeniedAddressValidator.java; Arbitrum; ${besu}`,
  },
  {
    kind: 'invalid',
    text: /execution reverted|^reverted transaction/i,
    source: `Arbitrum (max-revert-gas-reject); ${linea}/SimulationValidator.java`,
  },
  {
    kind: 'invalid',
    text: /invalid chain ?id|wrong chain ?id|chain ?id mismatch|\bInvalidTxChainId\b|signed for another chain/i,
    source: `${geth}: core/types; ${nethermind}; ${besu}; ${anvil}`,
  },
  {
    kind: 'invalid',
    text: /invalid sender|sender not an eoa|\bSenderIsContract\b|failed to (recover|resolve) ?sender/i,
    source: `${geth}: core/txpool/errors.go; ${nethermind}; ${erigon}; ${anvil}`,
  },
  {
    kind: 'invalid',
    text: /(transaction|tx) type .*not supported|unsupported transaction type|^invalid transaction type/i,
    source: `${geth}: core/types; ${nethermind}; ${besu}`,
  },
  {
    kind: 'invalid',
    text: /gas uint64 overflow|transaction cost overflow|^transaction invalid|^Invalid(,|$)/i,
    source: `${geth}: core/error.go; ${nethermind}`,
  },
];

/** What go-ethereum and Besu refuse unless they are told otherwise: Besu does not say its limit. */
const usualCapWei = parseEther('1');

/** What a node's error says about a transaction that was sent to it. */
export function refusalOf(error: unknown): Refusal {
  const text = withoutUrlSecrets(nodeText(error).replaceAll(/\s+/g, ' ').trim()).slice(0, 300);
  const kind = knownTexts.find((known) => known.text.test(text))?.kind ?? 'unclear';
  return kind === 'capped' ? { kind, text, capWei: capIn(text) ?? usualCapWei } : { kind, text };
}

/** Whether a node refuses a transaction because it has this one, or another with its nonce. Receipts show which one was mined. */
export function isAlreadyKnown(error: unknown): boolean {
  return ['known', 'nonce_used', 'replacement_underpriced'].includes(refusalOf(error).kind);
}

/** The node's own words, and what it adds to them. A client's words around them are about the request. */
function nodeText(error: unknown): string {
  if (!(error instanceof BaseError)) return messageOf(error);
  const answer = error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string') as { data?: string } | null;
  const addition = answer?.data?.startsWith('0x') === false ? ` ${answer.data}` : '';
  return `${error.details}${addition}`;
}

/** The limit in "tx fee (1.20 ether) exceeds the configured cap (1.00 ether)"; Reth counts in wei. */
function capIn(text: string): bigint | undefined {
  const [, amount, unit] = /configured cap \((\d+(?:\.\d+)?) (\w+)\)/.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return unit === 'wei' ? BigInt(amount.replace(/\..*/, '')) : parseEther(amount);
}
